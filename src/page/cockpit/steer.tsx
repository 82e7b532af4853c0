/** Commands. What cannot be taken back is held or typed; a halt is one press. */
import { useSignal } from '@preact/signals';
import type { CockpitState, StrategyState } from '../../operator/cockpit/cockpit-model.ts';
import { clockTime, signed } from './format.ts';
import { Dot, Empty, Field, HoldButton, Panel } from './parts.tsx';
import { Faults } from './simulator.tsx';
import { canSteer, command, halt, outcomes, session, state, viewName } from './store.ts';
import { leave } from './link.ts';
import { t } from './text.ts';

const REASON = 'by the page';

export function Steer() {
  const { value } = state;
  if (value === null) return null;
  if (!canSteer.value)
    return (
      <Panel title={t.view.steer} area="full">
        <p class="note">{t.lookOnlyMeaning}</p>
        <LeaveButton />
      </Panel>
    );
  return (
    <div class="steer">
      <h2 class="hidden">{viewName('steer')}</h2>
      {value.broker === undefined && (
        <>
          <Entries value={value} />
          <Otp value={value} />
          <Everything />
          <Strategies value={value} />
        </>
      )}
      <Faults />
      <Sent />
    </div>
  );
}

function Entries({ value: { halted, sweep } }: { readonly value: CockpitState }) {
  return (
    <Panel title={t.entries} area="half">
      <p>
        <Dot tone={halted === null ? 'good' : 'bad'} label={halted === null ? t.entriesOn : t.entriesOff} />
      </p>
      <p class="note">{halted ?? t.haltMeaning}</p>
      {halted !== null && (
        <p class="note">
          <b>{t.sweep[sweep.status] ?? sweep.status}</b> {sweep.text}
        </p>
      )}
      <div class="row">
        <button type="button" class="danger" onClick={() => void halt()}>
          {halted === null ? t.halt : t.haltAgain}
        </button>
        {halted !== null && (
          <HoldButton
            label={t.resume}
            word="resume"
            isDanger={false}
            onDone={() => void command(t.resume, 'resume', { reason: REASON })}
          />
        )}
      </div>
    </Panel>
  );
}

export function Otp({ value: { token } }: { readonly value: CockpitState }) {
  const otp = useSignal('');
  const isSending = useSignal(false);
  const bring = async (): Promise<void> => {
    const given = otp.value.trim();
    if (given === '') return;
    isSending.value = true;
    otp.value = '';
    await command(t.otp, 'otp', { otp: given });
    isSending.value = false;
  };
  return (
    <Panel
      title={t.otp}
      area={token.isOtpAwaited ? 'half urgent' : 'half'}
      aside={`${token.exchangesUsed}/${token.exchangesAllowed} ${t.exchanges}`}
    >
      <p class="note">{token.isOtpAwaited ? t.otpAwaited : t.otpMeaning}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void bring();
        }}
      >
        <Field
          value={otp}
          aria-label={t.otp}
          inputMode="numeric"
          autocomplete="one-time-code"
          placeholder="······"
          maxLength={12}
        />
        <button type="submit" disabled={isSending.value}>
          {t.bring}
        </button>
        <button type="button" class="plain" onClick={() => void command(t.newToken, 'token')}>
          {t.newToken}
        </button>
      </form>
    </Panel>
  );
}

function Everything() {
  return (
    <Panel title={t.wholeAccount} area="half">
      <p class="note">{t.flattenMeaning}</p>
      <div class="row">
        <HoldButton
          label={t.cancelAll}
          word="cancel"
          onDone={() => void command(t.cancelAll, 'cancel-all', { reason: REASON })}
        />
        <HoldButton
          label={t.flattenAll}
          word="flatten"
          onDone={() => void command(t.flattenAll, 'flatten', { reason: REASON })}
        />
        <HoldButton
          label={t.stopDaemon}
          word="stop"
          onDone={() => void command(t.stopDaemon, 'stop', { reason: REASON })}
        />
      </div>
      <div class="row">
        <button type="button" class="plain" onClick={() => void command(t.seen, 'seen')}>
          {t.seen}
        </button>
        <button type="button" class="plain" onClick={() => void command(t.reconnect, 'reconnect')}>
          {t.reconnect}
        </button>
        <LeaveButton />
      </div>
    </Panel>
  );
}

const LeaveButton = () => (
  <button
    type="button"
    class="plain"
    onClick={() => {
      void leave();
      session.value = null;
    }}
  >
    {t.leave}
  </button>
);

function Strategies({ value: { strategies } }: { readonly value: CockpitState }) {
  return (
    <Panel title={t.strategies} area="half">
      {strategies.length === 0 && <Empty>{t.noStrategies}</Empty>}
      <ul class="strategies">
        {strategies.map((each) => (
          <Strategy key={each.id} strategy={each} />
        ))}
      </ul>
    </Panel>
  );
}

function Strategy({ strategy: { id, stopped, halted, positions } }: { readonly strategy: StrategyState }) {
  const held = positions.filter(({ qty }) => qty !== 0);
  const act = (text: string, name: string) => () =>
    void command(`${text} ${id}`, name, { strategy: id, reason: REASON });
  return (
    <li>
      <div>
        <b>{id}</b>{' '}
        <Dot
          tone={stopped !== null ? 'bad' : halted !== null ? 'warn' : 'good'}
          label={stopped !== null ? t.stopped : halted !== null ? t.halted : t.runs}
        />{' '}
        <span class="quiet num">
          {held.length === 0
            ? t.flat
            : held.map(({ contract, qty }) => `${signed(qty)} ${contract}`).join(', ')}
        </span>
        {(stopped ?? halted) !== null && <p class="note">{stopped ?? halted}</p>}
      </div>
      <div class="row">
        {stopped === null && (
          <HoldButton isSmall label={t.stop} word="stop" onDone={act(t.stop, 'stop-strategy')} />
        )}
        {stopped !== null && (
          <button type="button" class="small" onClick={act(t.start, 'start-strategy')}>
            {t.start}
          </button>
        )}
        {halted !== null && (
          <HoldButton
            isSmall
            isDanger={false}
            label={t.resume}
            word="resume"
            onDone={act(t.resume, 'resume')}
          />
        )}
        <HoldButton isSmall label={t.flatten} word="flatten" onDone={act(t.flatten, 'flatten')} />
      </div>
    </li>
  );
}

const Sent = () => (
  <Panel title={t.outcomes} area="half">
    {outcomes.value.length === 0 && <Empty>{t.nothingSent}</Empty>}
    <ol class="latest">
      {outcomes.value.map(({ id, atMs, text, ok, message }) => (
        <li key={id}>
          <time class="num quiet">{clockTime(atMs)}</time>
          <b class={ok === null ? 'quiet' : ok ? 'tone-green' : 'tone-red'}>{text}</b>
          <span class="what">{message}</span>
        </li>
      ))}
    </ol>
  </Panel>
);
