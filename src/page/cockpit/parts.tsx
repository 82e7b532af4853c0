/** Small parts of every view, and figures, times and ages as people read them. */
import { type Signal, useSignal, computed } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PositionState } from '../../operator/cockpit/cockpit-model.ts';
import { averageDecimals } from '../../text/numbers.ts';
import { decimalsOf } from '../charts/axis-text.ts';
import { type RemoteValue, read, WAITING, nameOf, tickOf, marketMs, state } from './store.ts';
import { t } from './text.ts';

/** For handlers, which return nothing. */
export const set = <T,>(of: Signal<T>, value: T): void => {
  of.value = value;
};

interface Children {
  readonly children?: ComponentChildren;
}

interface PanelProps extends Children {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly area?: string;
}

export const Panel = ({ title, aside, area, children }: PanelProps) => (
  <section class={`panel ${area ?? ''}`} aria-label={title}>
    <div class="panel-head">
      <h2>{title}</h2>
      {aside !== undefined && <div class="aside">{aside}</div>}
    </div>
    {children}
  </section>
);

export const Empty = ({ children }: Children) => <p class="note">{children}</p>;

export const Vnd = ({ value, isSigned = true }: { readonly value: number; readonly isSigned?: boolean }) => (
  <span class={`num ${isSigned ? toneOf(value) : ''}`}>
    {isSigned ? signed(value) : count(value)} <small>VND</small>
  </span>
);

export const Points = ({ value, of }: { readonly value: number | null; readonly of: string }) => (
  <span class="num">{points(value, tickOf(of))}</span>
);

export const Side = ({ side }: { readonly side: 'buy' | 'sell' }) => (
  <span class={side}>{side === 'buy' ? t.buy : t.sell}</span>
);

export type Tone = 'good' | 'warn' | 'bad' | 'off';

export const Dot = ({ tone, label }: { readonly tone: Tone; readonly label: string }) => (
  <span class="state">
    <i class={`dot ${tone}`} aria-hidden="true" />
    {label}
  </span>
);

/** A figure's part of its greatest value. */
export const Bar = ({ part, tone, label }: { part: number; tone: Tone | 'buy' | 'sell'; label: string }) => {
  const percent = Math.round(Math.min(1, part) * 100);
  return (
    <div
      class={`gauge ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
};

export const heldOnes = (positions: readonly PositionState[]): readonly PositionState[] =>
  positions.filter(({ qty }) => qty !== 0);

export interface PositionsProps {
  readonly positions: readonly PositionState[];
}

export function Positions({ positions }: PositionsProps) {
  const held = heldOnes(positions);
  if (held.length === 0) return <span class="quiet">{t.flat}</span>;
  return (
    <>
      {held.map(({ orderCode, qty, uncoveredQty }) => (
        <div key={orderCode} class={qty > 0 ? 'buy num' : 'sell num'}>
          {signed(qty)} {nameOf(orderCode)}
          {uncoveredQty > 0 && (
            <div>
              <span class="tag bad">{t.uncovered(uncoveredQty)}</span>
            </div>
          )}
        </div>
      ))}
    </>
  );
}

export const OpenVnd = ({ positions }: PositionsProps) => (
  <Vnd value={positions.reduce((sum, { open }) => sum + open, 0)} />
);

export interface TableColumn<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly show: (row: Row) => ComponentChildren;
}

export const figureColumn = <Row,>(name: string, show: TableColumn<Row>['show']): TableColumn<Row> => ({
  name,
  isNumber: true,
  show,
});

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** Rows of a table; on a phone each row is a card whose cells bear the names of their columns. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <table class="rows" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ name, isNumber }) => (
          <th key={name} scope="col" class={isNumber === true ? 'right' : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ name, isNumber, show }) => (
            <td key={name} data-name={name} class={isNumber === true ? 'right' : undefined}>
              {show(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface ComparedRow {
  readonly what: string;
  readonly values: readonly ComponentChildren[];
  readonly state?: 'differs' | 'old';
}

type ComparisonProps = { label: string; sources: readonly ComponentChildren[]; rows: readonly ComparedRow[] };

/** A row for each figure, a column for each source of it. */
export const Comparison = ({ label, sources, rows }: ComparisonProps) => (
  <table class="compare" aria-label={label}>
    <thead>
      <tr>
        {[<Hidden>{t.what}</Hidden>, ...sources].map((source, index) => (
          <th key={index} scope="col">
            {source}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ what, values, state = '' }) => (
        <tr key={what} class={state}>
          <th scope="row">{what}</th>
          {values.map((value, index) => (
            <td key={index} class="right num">
              {value}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** For screen readers alone. */
export const Hidden = ({ children }: Children) => <span class="hidden">{children}</span>;

export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class="num">{value}</dd>
      </div>
    ))}
  </dl>
);

export const Button = ({
  kind,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class'> & { readonly kind?: string }) => (
  <button type="button" class={kind} {...rest} />
);

const HOLD_MS = 1_500;

const isPress = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter';

interface Hold {
  readonly label: string;
  readonly word: string;
  /** Its effect, where the label is not enough. */
  readonly meaning?: string | undefined;
  readonly isDanger?: boolean;
  readonly isSmall?: boolean;
  readonly onDone: () => void;
}

/** Done after holding it; a short press asks to type the word instead, which needs no steady hand. */
export function HoldButton({ label, word, isDanger = true, isSmall = false, meaning = '', onDone }: Hold) {
  const isHeld = useSignal(false);
  const isTyping = useSignal(false);
  const wait = useRef<ReturnType<typeof setTimeout>>(undefined);
  const end = (): void => {
    clearTimeout(wait.current);
    isHeld.value = false;
  };
  useEffect(() => end, []);
  const begin = (): void => {
    if (isHeld.value) return;
    isHeld.value = true;
    wait.current = setTimeout(() => {
      end();
      isTyping.value = false;
      onDone();
    }, HOLD_MS);
  };
  const cut = (): void => {
    if (isHeld.value) isTyping.value = true;
    end();
  };
  return (
    <span class="hold-box">
      <button
        type="button"
        class={`hold ${isDanger ? 'danger' : ''} ${isSmall ? 'small' : ''} ${isHeld.value ? 'held' : ''}`}
        title={meaning === '' ? t.holdHint : `${t.holdHint}. ${meaning}`}
        onPointerDown={({ button }) => button === 0 && begin()}
        onPointerUp={cut}
        onPointerLeave={end}
        onPointerCancel={end}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (!isPress(event)) return;
          event.preventDefault();
          if (!event.repeat) begin();
        }}
        onKeyUp={(event) => isPress(event) && cut()}
        onBlur={end}
        onClick={({ detail }) => {
          if (detail === 0) isTyping.value = true;
        }}
      >
        <span>{label}</span>
      </button>
      {isTyping.value && (
        <TypedConfirm
          word={word}
          meaning={meaning}
          onDone={(isTyped) => {
            isTyping.value = false;
            if (isTyped) onDone();
          }}
        />
      )}
    </span>
  );
}

type ConfirmProps = { word: string; meaning: string; onDone: (isTyped: boolean) => void };

function TypedConfirm({ word, meaning, onDone }: ConfirmProps) {
  const typed = useSignal('');
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value.trim().toLowerCase() === word.toLowerCase()) onDone(true);
      }}
      onKeyDown={({ key }) => key === 'Escape' && onDone(false)}
    >
      {meaning !== '' && <p class="note">{meaning}</p>}
      <label>
        {t.holdOrType(word)}
        <Field value={typed} isFocused />
      </label>
      <Button kind="plain" onClick={() => onDone(false)}>
        {t.dismiss}
      </Button>
    </form>
  );
}

interface FieldProps extends Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'aria-label' | 'placeholder' | 'inputMode' | 'autocomplete' | 'maxLength'
> {
  readonly value: Signal<string>;
  readonly isFocused?: boolean;
}

/** A line of text in a signal; other properties are those of an input. */
export function Field({ value, isFocused = false, ...rest }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  return (
    <input
      ref={input}
      autocomplete="off"
      spellcheck={false}
      {...rest}
      value={value.value}
      onInput={({ currentTarget }) => set(value, currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: Signal<string>;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly all: string | null;
}

/** One of `options`; `all` means none of them where none is needed. */
export const Choice = ({ name, value, options, all }: ChoiceProps) => (
  <label>
    {name}
    <select value={value.value} onChange={({ currentTarget }) => set(value, currentTarget.value)}>
      {all !== null && <option value="">{all}</option>}
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** The answer of the daemon to a path, and once more when `again` changes; null asks nothing. */
export function useAnswer<T>(path: string | null, again?: string): RemoteValue<T> {
  const answer = useSignal<RemoteValue<T>>(WAITING);
  const asked = useRef(path);
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      if (asked.current !== path) answer.value = WAITING;
      asked.current = path;
      const found = path === null ? WAITING : await read<T>(path);
      if (!isOver) answer.value = found;
    };
    void ask();
    return () => {
      isOver = true;
    };
  }, [path, again]);
  return answer.value;
}

/** While it is read, or why it could not be. */
export const Waiting = ({ value, trouble }: RemoteValue<unknown>) => (
  <>
    {value === null && trouble === '' && <Empty>{t.reading}</Empty>}
    {trouble !== '' && <p class="note bad">{trouble}</p>}
  </>
);

// One way of writing numbers in all languages: that of the exchange's boards and of the daemon's messages.

const MINUS = '\u2212';
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

const two = (value: number): string => String(value).padStart(2, '0');

const unsigned = (value: number, decimals: number): string =>
  Math.abs(value).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });

export const count = (value: number): string => whole.format(value).replace('-', MINUS);

export const signed = (value: number): string =>
  value === 0 ? '0' : `${value < 0 ? MINUS : '+'}${whole.format(Math.abs(value))}`;

export const points = (value: number | null, tick: number): string =>
  value === null ? '–' : `${value < 0 ? MINUS : ''}${unsigned(value, decimalsOf(tick))}`;

export const average = (value: number | null): string =>
  value === null ? '–' : unsigned(value, averageDecimals(value));

export const signedPoints = (value: number, tick: number): string =>
  `${value > 0 ? '+' : ''}${points(value, tick)}`;

export const toneOf = (value: number): string => (value > 0 ? 'gain' : value < 0 ? 'loss' : 'flat');

const localTime = (atMs: number): string =>
  new Date(atMs + (state.value?.session.utcOffsetMinutes ?? 0) * 60_000).toISOString();

/** At the exchange: `2026-03-04`. */
export const dayOf = (atMs: number): string => localTime(atMs).slice(0, 10);

export const clockTime = (atMs: number): string => localTime(atMs).slice(11, 19);

const today = computed(() => (marketMs.value === null ? null : dayOf(marketMs.value)));

/** With the date, where that is another one than today's. */
export const moment = (atMs: number): string =>
  dayOf(atMs) === today.value ? clockTime(atMs) : `${dayOf(atMs).slice(5)} ${clockTime(atMs)}`;

/** `57:12`, `3:07:00` or `2 d 3 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3_600);
  if (days >= 2) return `${days} ${t.days} ${Math.floor((seconds % 86_400) / 3_600)} ${t.hours}`;
  const withinHour = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;
  return hours === 0 ? withinHour : `${hours}:${withinHour}`;
}

/** Names of the daemon that have no text of their own lose their underscores. */
export const worded = (table: Readonly<Record<string, string>>, name: string): string =>
  table[name] ?? name.replaceAll('_', ' ');
