/** Commands. An irreversible one is held or typed; a halt is one press. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type {
  ArmedFaultState,
  CockpitState,
  KnownFault,
  KnownFaults,
  StrategyState,
} from '../../operator/cockpit/cockpit-model.ts';
import {
  count,
  signed,
  worded,
  Button,
  Choice,
  Dot,
  Empty,
  Field,
  heldOnes,
  HoldButton,
  Panel,
  useAnswer,
  Waiting,
} from './parts.tsx';
import { canSteer, command, halt, nameOf, REASON, session, leave } from './store.ts';
import { localized, t } from './text.ts';

export function Steer({ value }: { readonly value: CockpitState }) {
  if (!canSteer.value)
    return (
      <Panel title={t.view.steer}>
        <p class="note">{t.lookOnlyMeaning}</p>
        <LeaveButton />
      </Panel>
    );
  return (
    <>
      <Entries value={value} />
      <Otp value={value} />
      <Everything value={value} />
      <Strategies value={value} />
    </>
  );
}

const resumeMeaning = (loss: number): string => (loss === 0 ? '' : t.acceptsLoss(count(loss)));

function Entries({ value: { halted, sweep, money } }: { readonly value: CockpitState }) {
  return (
    <Panel title={t.entries} area="half">
      <p>
        <Dot tone={halted === null ? 'good' : 'bad'} label={halted === null ? t.notHalted : t.entriesOff} />
      </p>
      <p class="note">{halted === null ? t.haltMeaning : localized(halted)}</p>
      {halted !== null && (
        <p class="note">
          <b>{worded(t.sweep, sweep.status)}</b> {localized(sweep.text)}
        </p>
      )}
      <div class="row">
        <Button kind="danger" onClick={() => void halt()}>
          {halted === null ? t.halt : t.haltAgain}
        </Button>
        {halted !== null && (
          <HoldButton
            label={t.resume}
            word="resume"
            isDanger={false}
            meaning={resumeMeaning(money.lossToAccept)}
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
        {pressed(t.newToken, 'token')}
      </form>
    </Panel>
  );
}

const held = (label: string, word: string, name: string, meaning?: string, body: object = {}) => (
  <HoldButton
    label={label}
    word={word}
    meaning={meaning}
    onDone={() => void command(label, name, { reason: REASON, ...body })}
  />
);

/** In an auction the button confirms an order that cannot be taken back; what rests there stays as it is. */
function flattenOf({ session: { phase }, orders }: CockpitState, meaning: string, id?: string) {
  const inAuction = phase === 'opening_auction' || phase === 'closing_auction';
  if (!inAuction) return { meaning, body: { inAuction } };
  const resting = orders.filter(
    (each) => each.triggerPoints === null && each.strategy === (id ?? each.strategy),
  );
  const texts = resting.map(
    (each) => `${t[each.side]} ${each.qty - each.filledQty} ${nameOf(each.orderCode)} ${each.limitPoints}`,
  );
  const restingText = resting.length === 0 ? '' : `${t.restingMeaning} ${texts.join(', ')}.`;
  return { meaning: `${meaning} ${t.auctionMeaning} ${restingText}`.trim(), body: { inAuction } };
}

const pressed = (label: string, name: string) => (
  <Button kind="plain" onClick={() => void command(label, name)}>
    {label}
  </Button>
);

function Everything({ value }: { readonly value: CockpitState }) {
  const { meaning, body } = flattenOf(value, t.flattenMeaning);
  return (
    <Panel title={t.wholeAccount} area="half">
      <p class="note">
        {t.holdMeaning} {meaning}
      </p>
      <div class="row">
        {held(t.cancelAll, 'cancel', 'cancel-all')}
        {held(t.flattenAll, 'flatten', 'flatten', meaning, body)}
        {held(t.stopDaemon, 'stop', 'stop')}
      </div>
      <div class="row">
        {pressed(t.seen, 'seen')}
        {pressed(t.reconnect, 'reconnect')}
        <LeaveButton />
      </div>
    </Panel>
  );
}

const LeaveButton = () => (
  <Button
    kind="plain"
    onClick={() => {
      void leave();
      session.value = null;
    }}
  >
    {t.leave}
  </Button>
);

function Strategies({ value }: { readonly value: CockpitState }) {
  const { strategies } = value;
  return (
    <Panel title={t.strategies} area="half">
      {strategies.length === 0 && <Empty>{t.noStrategies}</Empty>}
      <ul class="strategies">
        {strategies.map((each) => (
          <Strategy key={each.id} strategy={each} flatten={flattenOf(value, t.flattenOneMeaning, each.id)} />
        ))}
      </ul>
    </Panel>
  );
}

type StrategyProps = { strategy: StrategyState; flatten: ReturnType<typeof flattenOf> };

function Strategy({ strategy, flatten }: StrategyProps) {
  const { id, stopped, halted, positions, lossToAccept } = strategy;
  const why = stopped ?? halted;
  const holds = heldOnes(positions).map(({ orderCode, qty }) => `${signed(qty)} ${nameOf(orderCode)}`);
  const act =
    (text: string, name: string, body: object = {}) =>
    () =>
      void command(`${text} ${id}`, name, { strategy: id, reason: REASON, ...body });
  return (
    <li>
      <div>
        <b class="name">{id}</b>{' '}
        <Dot
          tone={stopped !== null ? 'bad' : halted !== null ? 'warn' : 'good'}
          label={stopped !== null ? t.stopped : halted !== null ? t.halted : t.runs}
        />{' '}
        {holds.length === 0 && <span class="quiet">{t.flat}</span>}
        {holds.map((each) => (
          <div key={each} class="quiet num">
            {each}
          </div>
        ))}
        {why !== null && <p class="note">{localized(why)}</p>}
      </div>
      <div class="row">
        {stopped === null && (
          <HoldButton isSmall label={t.stop} word="stop" onDone={act(t.stop, 'stop-strategy')} />
        )}
        {stopped !== null && (
          <Button kind="small" onClick={act(t.start, 'start-strategy')}>
            {t.start}
          </Button>
        )}
        {halted !== null && (
          <HoldButton
            isSmall
            isDanger={false}
            label={t.resume}
            word="resume"
            meaning={resumeMeaning(lossToAccept)}
            onDone={act(t.resume, 'resume')}
          />
        )}
        <HoldButton
          isSmall
          label={t.flatten}
          word="flatten"
          meaning={flatten.meaning}
          onDone={act(t.flatten, 'flatten', flatten.body)}
        />
      </div>
    </li>
  );
}

// Faults of the simulated broker of a paper run.

export function Faults({ value: { faults: armed = [] } }: { readonly value: CockpitState }) {
  const known = useAnswer<KnownFaults>('/faults');
  return (
    <Panel title={t.faultsTitle}>
      <p class="note">{t.faultsMeaning}</p>
      <Waiting {...known} />
      <ul class="fault-list">
        {known.value?.map((each) => (
          <FaultRow key={each.name} fault={each} armed={armed.filter(({ name }) => name === each.name)} />
        ))}
      </ul>
    </Panel>
  );
}

function FaultRow({ fault, armed }: { fault: KnownFault; armed: readonly ArmedFaultState[] }) {
  const { name, effect, isInstant, parameters } = fault;
  const fields = useMemo(() => parameters.map((of) => ({ of, value: signal(of.example) })), []);
  const isOn = armed.length > 0;
  const change = (): void => {
    const given = Object.fromEntries(fields.map(({ of, value }) => [of.name, value.value]));
    void command(name, 'fault', isOn ? { name, isOn: false } : { name, isOn: true, parameters: given });
  };
  return (
    <li>
      <Button disabled={!canSteer.value} {...(!isInstant && SWITCH(isOn))} onClick={change}>
        {name}
      </Button>
      <div>
        {effect}
        {isOn && (
          <p>
            <Dot tone="bad" label={[t.isOn, ...armed.map(({ text }) => text)].filter(Boolean).join(' · ')} />
          </p>
        )}
        {parameters.length > 0 && !isOn && (
          <details>
            <summary>{parameters.map((each) => each.name).join(', ')}</summary>
            <div class="fields">
              {fields.map((each) => (
                <Parameter key={each.of.name} {...each} />
              ))}
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

const SWITCH = (isOn: boolean) => ({ role: 'switch', 'aria-checked': isOn }) as const;

function Parameter({ of, value }: { of: KnownFault['parameters'][number]; value: Signal<string> }) {
  const { name, expected, isRequired, choices } = of;
  const label = isRequired ? `${name} (${t.required})` : name;
  if (choices.length > 0) {
    const options = choices.map((each) => [each, each] as const);
    return <Choice name={label} value={value} options={options} all={isRequired ? null : t.any} />;
  }
  return (
    <label title={expected}>
      {label}
      <Field value={value} placeholder={expected} />
    </label>
  );
}
