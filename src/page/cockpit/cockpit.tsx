/** The cockpit: one page that shows a daemon and steers it. */
import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { errorText } from '../../domain/failure.ts';
import type { CockpitState } from '../../operator/cockpit/cockpit-model.ts';
import './cockpit.css';
import { Journal, StoryDialog } from './journal.tsx';
import {
  enter,
  readSession,
  begin,
  session,
  silentSeconds,
  state,
  view,
  canSteer,
  entries,
  halt,
  isGone,
  marketMs,
  nowMs,
  type SentCommand,
  outcomes,
  type Tab,
  tabs,
} from './store.ts';
import { Market } from './market.tsx';
import { Now } from './now.tsx';
import { Empty, Field, Panel, clockTime, duration, worded, Button, set } from './parts.tsx';
import { Results } from './results.tsx';
import { Faults, Steer } from './steer.tsx';
import { LANGUAGE, t, localized } from './text.ts';

const VIEW = {
  now: Now,
  market: Market,
  steer: Steer,
  journal: Journal,
  results: Results,
  faults: Faults,
} as const;

function Cockpit() {
  const { value } = session;
  const { value: now } = state;
  const Shown = VIEW[view.value];
  return (
    <>
      <Header />
      <main id="main" tabIndex={-1} class={silentSeconds.value === null ? '' : 'is-old'}>
        {value === null && <Entrance />}
        {value !== null && now === null && <Empty>{t.connecting}</Empty>}
        {value !== null && now !== null && (
          <div class={`view ${view.value}`}>
            <h2 class="hidden">{t.view[view.value]}</h2>
            <Shown value={now} />
          </div>
        )}
      </main>
      <Outcomes />
      <StoryDialog />
      <Footer />
    </>
  );
}

/** Without a session: how to get one. */
function Entrance() {
  const link = useSignal('');
  const trouble = useSignal(refusal);
  const open = async (): Promise<void> => {
    trouble.value = await exchange(link.value.trim().replace(/^.*#key=/, ''));
  };
  return (
    <div class="entrance">
      <Panel title={t.enterTitle}>
        <p>{t.enterMeaning}</p>
        <pre>tickwright open</pre>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void open();
          }}
        >
          <Field value={link} aria-label={t.enterLink} placeholder={t.enterLink} />
          <button type="submit">{t.enter}</button>
        </form>
        <p class="note bad" role="alert">
          {trouble.value}
        </p>
      </Panel>
    </div>
  );
}

/** Why a link did not open, or empty. */
async function exchange(secret: string): Promise<string> {
  try {
    begin(await enter(secret));
    return '';
  } catch (error) {
    return errorText(error);
  }
}

// Around every view: mode, clock, verdict, halt, tabs, and the outcomes of commands.

function Header() {
  const { value } = state;
  const mode = value?.mode ?? 'waiting';
  return (
    <header class={`top mode-${mode}`}>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <p class="mode">{value === null ? t.connecting : t.modeLine[value.mode]}</p>
      <div class="bar">
        <h1>
          Tickwright
          <small>{value === null ? '' : `${value.version} · ${value.account}`}</small>
        </h1>
        {value !== null && <Clock value={value} />}
        <div class="actions">
          {canSteer.value && <HaltButton />}
          {session.value?.role === 'look' && <span class="chip">{t.lookOnly}</span>}
        </div>
      </div>
      <VerdictLine />
      {value !== null && <Tabs />}
    </header>
  );
}

function Clock({ value: { session: now } }: { readonly value: CockpitState }) {
  const at = marketMs.value;
  const left = now.endsMs === null || at === null ? null : now.endsMs - at;
  return (
    <p class="clock">
      <span class="num">{at === null ? '' : clockTime(at)}</span>
      <b>{worded(t.phase, now.phase)}</b>
      {left !== null && now.next !== null && (
        <span class="quiet">
          {worded(t.phase, now.next)} {t.within} <span class="num">{duration(left / now.speed)}</span>
        </span>
      )}
    </p>
  );
}

const HALT_KEY_MS = 600;

function HaltButton() {
  const isHalted = typeof state.value?.halted === 'string';
  return (
    <Button
      id="halt"
      kind={isHalted ? 'halt is-halted' : 'halt'}
      title={t.haltHint}
      aria-keyshortcuts="H"
      onClick={() => void halt()}
    >
      {isHalted ? t.haltAgain : t.halt}
    </Button>
  );
}

/** The worst of all first. */
function verdictOf(value: CockpitState) {
  const bad: string[] = [];
  const warn: string[] = [];
  if (value.halted !== null) {
    const { text } = value.sweep;
    bad.push(
      `${t.entriesOff}: ${localized(value.halted)}${text === '' ? '' : `. ${worded(t.sweep, value.sweep.status)} ${localized(text)}`}`,
    );
  }
  if (value.engine.state === 'hung') bad.push(t.engineHung);
  // Without a token the problems follow from it.
  if (value.token.isOtpAwaited) (value.token.untilRealMs === null ? bad : warn).push(t.otpAwaited);
  bad.push(...value.problems.map(localized));
  const stopped = value.strategies.filter((each) => each.stopped !== null || each.halted !== null);
  if (stopped.length > 0) warn.push(`${t.stopped}: ${stopped.map(({ id }) => id).join(', ')}`);
  if (value.alerts.unseen > 0) warn.push(t.unseen(value.alerts.unseen));
  if (value.procedure !== '') warn.push(localized(value.procedure));
  const [text, ...more] = [...bad, ...warn];
  if (text === undefined) return { tone: 'good', text: t.allWell, more };
  return { tone: bad.length > 0 ? 'bad' : 'warn', text, more };
}

/** Why the page shows nothing new, and the consequence for the buttons; null while the daemon answers. */
function cutText(): string | null {
  if (silentSeconds.value === null) return null;
  if (session.value === null) return state.value === null ? null : t.loggedOut;
  if (isGone.value) return t.daemonGone;
  return canSteer.value ? `${t.streamCut} ${t.haltStillWorks}` : t.streamCut;
}

/** One line high whatever happens (two on a phone), so that nothing below it moves; the rest unfolds. */
function VerdictLine() {
  const { value } = state;
  const cut = cutText();
  if (cut !== null)
    return (
      <div class="verdict cut">
        <p class="age" role="alert">
          {value !== null && <b>{t.dataOld(duration((silentSeconds.value ?? 0) * 1_000))} </b>}
          {cut}
        </p>
      </div>
    );
  if (value === null) return null;
  const { tone, text, more } = verdictOf(value);
  return (
    <div class={`verdict ${tone}`}>
      <details>
        <summary>
          <span aria-live="polite">{text}</span>
          {more.length > 0 && <em>+{more.length}</em>}
        </summary>
        <ul>
          {[text, ...more].map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

const show = (name: Tab): void => {
  view.value = name;
};

const Tabs = () => (
  <nav aria-label={t.views}>
    {tabs.value.map((name, index) => (
      <Button
        key={name}
        aria-current={view.value === name ? 'page' : undefined}
        aria-keyshortcuts={String(index + 1)}
        onClick={() => show(name)}
      >
        {t.view[name]}
      </Button>
    ))}
  </nav>
);

const DONE_MS = 10_000;

/** A failure stays until it is dismissed. */
const isNews = ({ ok, atMs }: SentCommand): boolean => ok !== true || nowMs.value - atMs < DONE_MS;

/** The latest commands of this page; an answer of the daemon is read out. */
const Outcomes = () => (
  <div class="outcomes" role="status" aria-live="polite" aria-label={t.outcomes}>
    {outcomes.value
      .filter(isNews)
      .slice(0, 3)
      .map(({ id, text, ok, message }) => (
        <p key={id} class={ok === null ? (isGone.value ? 'bad' : 'pending') : ok ? 'good' : 'bad'}>
          <b>{text}</b> {ok === null && isGone.value ? `${t.daemonGone} ${t.mayArrive}` : message}
          <Button
            kind="plain icon"
            aria-label={t.dismiss}
            onClick={() =>
              set(
                outcomes,
                outcomes.value.filter((each) => each.id !== id),
              )
            }
          >
            ×
          </Button>
        </p>
      ))}
  </div>
);

/** Digits choose a view; H goes to the halt, and held for a moment it halts. */
function listenToKeys(): void {
  let held: ReturnType<typeof setTimeout> | undefined;
  addEventListener('keydown', (event) => {
    const { target, key, repeat } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || state.value === null) return;
    if (target instanceof HTMLElement && target.matches('input, select, textarea')) return;
    const chosen = tabs.value[Number(key) - 1];
    if (chosen !== undefined) show(chosen);
    if (key.toLowerCase() !== 'h' || repeat || !canSteer.value) return;
    document.getElementById('halt')?.focus();
    held = setTimeout(() => void halt(), HALT_KEY_MS);
  });
  addEventListener('keyup', () => clearTimeout(held));
  addEventListener('blur', () => clearTimeout(held));
}

const Footer = () => (
  <footer>
    {t.newest}: <span class="num">{entries.value.at(-1)?.id.replace(/^-/, '') ?? '–'}</span>
  </footer>
);

const root = document.getElementById('page');

let refusal = '';

const START_AGAIN_MS = 2_000;

async function start(): Promise<void> {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  // A link opens once: nothing is left of it in the address.
  if (key !== undefined) {
    history.replaceState(null, '', '/');
    refusal = await exchange(key);
    if (refusal === '') return;
  }
  try {
    const known = await readSession();
    if (known === undefined) session.value = null;
    else begin(known);
  } catch {
    // Unreachable: the page says so, and asks again.
    setTimeout(() => void start(), START_AGAIN_MS);
  }
}

document.documentElement.lang = LANGUAGE;
listenToKeys();
if (root !== null) {
  root.replaceChildren();
  render(<Cockpit />, root);
}
void start();
