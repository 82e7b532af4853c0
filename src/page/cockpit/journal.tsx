/** The journal of any day, searched, and the story of one order. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type {
  CockpitEntry,
  JournalDays,
  JournalPage,
  OrderStory,
} from '../../operator/cockpit/cockpit-model.ts';
import { clockTime, worded, Button, Choice, Empty, Field, Panel, useAnswer, Waiting, set } from './parts.tsx';
import { type RemoteValue, read, WAITING, entries, state, story } from './store.ts';
import { Line } from './now.tsx';
import { lineOf, t } from './text.ts';

/** Typing on does not ask for each letter. */
const TYPING_MS = 250;
/** The daemon takes no more characters. */
const SEARCH_MAX = 100;

interface Filter {
  readonly day: Signal<string>;
  readonly kind: Signal<string>;
  readonly search: Signal<string>;
}

export function Journal() {
  const filter = { day: useSignal(''), kind: useSignal(''), search: useSignal('') };
  const { page, isReading, older } = usePages(filter);
  const { day, kind, search } = filter;
  const days = useAnswer<JournalDays>('/journal/days').value ?? [];
  const isToday = day.value === '' || day.value === state.value?.session.day;
  const isPresent = isToday && search.value === '' && kind.value === '';
  const read = page.value?.entries ?? [];
  return (
    <Panel title={t.view.journal} aside={page.trouble}>
      <div class="filters">
        <Choice
          name={t.dayWord}
          value={day}
          options={days.map((each) => [each.day, each.isArchived ? `${each.day} (${t.archived})` : each.day])}
          all={t.newestDays}
        />
        <Choice name={t.kind} value={kind} options={Object.entries(t.kinds)} all={t.allKinds} />
        <label class="grow">
          {t.search}
          <Field value={search} placeholder={t.searchHint} maxLength={SEARCH_MAX} />
        </label>
      </div>
      <Rows rows={isPresent ? withNewest(read) : read} isReading={isReading} />
      {older !== null && (
        <Button disabled={isReading} onClick={older}>
          {t.older}
        </Button>
      )}
    </Panel>
  );
}

/** Pages that match the filter, the newest first; the next one follows on demand. */
function usePages({ day, kind, search }: Filter) {
  const page = useSignal<RemoteValue<JournalPage>>(WAITING);
  const isReading = useSignal(true);
  const readPage = async (before: number | null): Promise<void> => {
    isReading.value = true;
    const query = { day: day.value, kind: kind.value, search: search.value.trim() };
    const shown = before === null ? [] : (page.value.value?.entries ?? []);
    const { value, trouble } = await read<JournalPage>('/journal', {
      ...query,
      before: before === null ? '' : String(before),
    });
    // Another answer is on its way.
    if (query.day !== day.value || query.kind !== kind.value || query.search !== search.value.trim()) return;
    page.value = { trouble, value: value && { ...value, entries: [...shown, ...value.entries] } };
    isReading.value = false;
  };
  useEffect(() => {
    const wait = setTimeout(() => void readPage(null), TYPING_MS);
    return () => clearTimeout(wait);
  }, [day.value, kind.value, search.value]);
  const before = page.value.value?.before ?? null;
  return {
    page: page.value,
    isReading: isReading.value,
    older: before === null ? null : () => void readPage(before),
  };
}

/** Rows of the stream that came after the page was read, newest first. */
function withNewest(read: readonly CockpitEntry[]): readonly CockpitEntry[] {
  const last = read[0]?.seq ?? -1;
  const newer = entries.value.filter(({ seq }) => seq > last);
  return [...newer.toReversed(), ...read];
}

function Rows({ rows, isReading }: { readonly rows: readonly CockpitEntry[]; readonly isReading: boolean }) {
  const shown = rows.filter(({ text }) => text !== '');
  if (shown.length === 0) return <Empty>{isReading ? t.reading : t.noEntries}</Empty>;
  return (
    <ol class="entries">
      {shown.map((each, index) => (
        <li key={each.id}>
          {each.day !== shown[index - 1]?.day && <h3>{each.day}</h3>}
          <Line entry={each} time={clockTime(each.atMs)} />
        </li>
      ))}
    </ol>
  );
}

export function StoryDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { id, day } = story.value ?? { id: null, day: null };
  const query = day === null ? '' : `?day=${day}`;
  const found = useAnswer<OrderStory>(id === null ? null : `/orders/${encodeURIComponent(id)}/story${query}`);
  useEffect(() => {
    if (id !== null) dialog.current?.showModal();
  }, [id]);
  return (
    <dialog ref={dialog} aria-label={t.story} onClose={() => set(story, null)}>
      <form method="dialog">
        <h2>
          {t.story} <span class="num">{id ?? ''}</span>
        </h2>
        <button class="plain" autofocus>
          {t.close}
        </button>
      </form>
      <Waiting {...found} />
      {found.value !== null && <Story story={found.value} />}
    </dialog>
  );
}

const inOneLanguage = (step: OrderStory['steps'][number]) => {
  const kind = worded(t.kinds, step.kind);
  return { ...step, ...(step.text === '' ? { word: kind, text: '' } : lineOf(step.word, step.text)) };
};

const Story = ({ story: { summary, steps } }: { readonly story: OrderStory }) => (
  <>
    <p>{summary}</p>
    <ol class="steps">
      {steps.map(inOneLanguage).map((step) => (
        <li key={step.id}>
          <p>
            <time class="num quiet">{clockTime(step.atMs)}</time>{' '}
            <b class={`tone-${step.tone}`}>{step.word}</b> {step.text}
          </p>
          <details>
            <summary>
              {t.row} {step.seq}, {t.cause} {step.cause}
            </summary>
            <pre>{step.detail}</pre>
          </details>
        </li>
      ))}
    </ol>
  </>
);
