/** The cockpit: one page that shows a daemon and steers it. */
import { useSignal } from '@preact/signals';
import { render } from 'preact';
import './cockpit.css';
import { Footer, Header, listenToKeys, Outcomes } from './frame.tsx';
import { Journal, StoryDialog } from './journal.tsx';
import { enter, readSession, textOf } from './link.ts';
import { Market } from './market.tsx';
import { Now } from './now.tsx';
import { Empty, Field, Panel } from './parts.tsx';
import { Results } from './results.tsx';
import { Faults, Steer } from './steer.tsx';
import { begin, session, silentSeconds, state, view } from './store.ts';
import { LANGUAGE, t } from './text.ts';

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
    return textOf(error);
  }
}

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
