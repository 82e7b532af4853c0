/** The present state on one screen: positions, the distance to each limit, working orders, and whether our books are the broker's. */
import type {
  BooksState,
  CockpitEntry,
  CockpitState,
  LimitState,
  CockpitOrder,
  StrategyState,
} from '../../operator/cockpit/cockpit-model.ts';
import {
  average,
  count,
  duration,
  moment,
  signed,
  worded,
  Bar,
  Button,
  Comparison,
  figureColumn,
  type TableColumn,
  Dot,
  Empty,
  Facts,
  heldOnes,
  Hidden,
  HoldButton,
  Panel,
  Points,
  OpenVnd,
  Positions,
  type PositionsProps,
  Side,
  Table,
  type Tone,
  Vnd,
  set,
} from './parts.tsx';
import { canSteer, command, entries, nameOf, nowMs, prices, REASON, story, view } from './store.ts';
import { Otp } from './steer.tsx';
import { lineOf, localized, t } from './text.ts';

export const Now = ({ value }: { readonly value: CockpitState }) => (
  <>
    {value.token.isOtpAwaited && canSteer.value && <Otp value={value} />}
    <Figures value={value} />
    <div class="stack wide">
      <Strategies value={value} />
      <Orders value={value} />
    </div>
    <div class="stack third">
      <Limits value={value} />
      <Books value={value} />
    </div>
    <Latest title={t.latest} isShown={({ text }) => text !== ''} />
  </>
);

function Figures({ value }: { readonly value: CockpitState }) {
  const { money, strategies, orders } = value;
  const fills = strategies.reduce((sum, each) => sum + each.fills, 0);
  return (
    <div class="figures">
      <Facts
        facts={[
          [t.dayPnl, <Vnd value={money.dayPnl} />],
          [t.costs, <Vnd value={money.fee + money.tax} isSigned={false} />],
          [t.openOrders, count(orders.length)],
          [t.fills, count(fills)],
        ]}
      />
      <Health value={value} />
    </div>
  );
}

const TOKEN_WARN_MS = 30 * 60_000;

function Health({ value: { feed, engine, token, books, jobs } }: { readonly value: CockpitState }) {
  const isLive = feed.state === 'live' && !feed.isStale && !feed.isBehind;
  const feedText = feed.isStale ? t.feedStale : feed.isBehind ? t.feedBehind : worded(t.feed, feed.state);
  const left = Math.max(0, (token.untilRealMs ?? 0) - nowMs.value);
  const tokenText = `${duration(left)} · ${token.exchangesUsed}/${token.exchangesAllowed} ${t.exchanges}`;
  const isProven = books.unproven === null && books.money !== 'differs';
  const isCompared = engine.state !== 'none' && books.positionsMs !== null;
  const isNow = !isOld(books, books.positionsMs) && !isOld(books, books.moneyMs);
  const facts: readonly (readonly [string, Tone, string])[] = [
    [t.prices, isLive ? 'good' : feed.state === 'stopped' ? 'off' : 'bad', feedText],
    [t.engine, ENGINE_TONE[engine.state], t.engineStates[engine.state]],
    [
      t.token,
      left === 0 ? 'bad' : left < TOKEN_WARN_MS ? 'warn' : 'good',
      left === 0 ? t.tokenNone : tokenText,
    ],
    isCompared
      ? [
          t.books,
          !isProven ? 'bad' : isNow ? 'good' : 'off',
          !isProven ? t.booksDiffer : isNow ? t.booksAgree : t.booksOld,
        ]
      : [t.books, 'off', t.notCompared],
    [t.jobs, 'off', localized(jobs)],
  ];
  return (
    <ul class="health" aria-label={t.health}>
      {facts.map(([name, tone, label]) => (
        <li key={name}>
          <span>{name}</span>
          <Dot tone={tone} label={label} />
        </li>
      ))}
    </ul>
  );
}

const ENGINE_TONE = { running: 'good', hung: 'bad', none: 'off' } as const;

function Strategies({ value }: { readonly value: CockpitState }) {
  const columns: readonly TableColumn<StrategyState>[] = [
    {
      name: t.strategy,
      show: ({ id, stopped, halted }) => (
        <>
          <b class="name">{id}</b>{' '}
          {stopped !== null && <Tag tone="bad" title={localized(stopped)} text={t.stopped} />}
          {halted !== null && <Tag tone="warn" title={localized(halted)} text={t.halted} />}
        </>
      ),
    },
    figureColumn(t.position, ({ positions }) => <Positions positions={positions} />),
    figureColumn(t.entryAndLast, ({ positions }) => <Prices positions={positions} />),
    figureColumn(t.open, ({ positions }) => <OpenVnd positions={positions} />),
    figureColumn(t.costs, ({ fee, tax }) => <Vnd value={fee + tax} isSigned={false} />),
    figureColumn(t.day, ({ dayPnl }) => <Vnd value={dayPnl} />),
  ];
  const rows = value.strategies;
  return (
    <Panel title={t.positionsAndPnl}>
      {rows.length === 0 && <Empty>{t.noStrategies}</Empty>}
      {rows.length > 0 && (
        <Table label={t.positionsAndPnl} columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}

const Tag = ({ tone, title, text }: { tone: Tone; title?: string; text: string }) => (
  <span class={`tag ${tone}`} title={title}>
    {text}
  </span>
);

/** Entry, and where the price is now. */
const Prices = ({ positions }: PositionsProps) => (
  <>
    {heldOnes(positions).map(({ orderCode, avgPoints }) => (
      <div key={orderCode}>
        <span class="num">{average(avgPoints)}</span> <span class="quiet">→</span>{' '}
        <Points value={prices.value.get(orderCode)?.last?.[0] ?? null} of={orderCode} />
      </div>
    ))}
  </>
);

const WARN_FROM = 0.7;

const useOf = ({ used, max }: LimitState): number => (max <= 0 ? (used > 0 ? 1 : 0) : used / max);

/** Limits that are used less are folded. */
const FOLDED_BELOW = 0.05;

function Limits({ value }: { readonly value: CockpitState }) {
  const rows = value.limits.toSorted((a, b) => useOf(b) - useOf(a));
  const far = rows.filter((each) => useOf(each) < FOLDED_BELOW);
  return (
    <Panel title={t.limits}>
      {rows.length === 0 && <Empty>{t.noLimits}</Empty>}
      <LimitList rows={rows.slice(0, rows.length - far.length)} />
      {far.length > 0 && (
        <details class="far">
          <summary>{t.farLimits(far.length)}</summary>
          <LimitList rows={far} />
        </details>
      )}
    </Panel>
  );
}

const LimitList = ({ rows }: { readonly rows: readonly LimitState[] }) => (
  <ul class="limits">
    {rows.map((each) => (
      <Limit key={`${each.strategy ?? ''}/${each.limit}`} use={each} />
    ))}
  </ul>
);

function Limit({ use }: { readonly use: LimitState }) {
  const part = useOf(use);
  const tone = part >= 1 ? 'bad' : part >= WARN_FROM ? 'warn' : 'good';
  const name = `${worded(t.limit, use.limit)}${use.strategy === null ? '' : ` · ${use.strategy}`}`;
  const unit = use.unit === 'VND' || use.unit === '%' ? use.unit : t.unit[use.unit];
  return (
    <li>
      <span class="name">{name}</span>
      <span class="num quiet">
        <b>{count(use.used)}</b> / {count(use.max)} {unit}
      </span>
      <Bar part={part} tone={tone} label={name} />
    </li>
  );
}

/** Their outcome is looked up in the broker's book. */
const UNKNOWN: ReadonlySet<string> = new Set(['unknown', 'presumed_absent']);

function Orders({ value }: { readonly value: CockpitState }) {
  const unknown = value.orders.filter(({ status }) => UNKNOWN.has(status));
  const working = value.orders.filter(({ status }) => !UNKNOWN.has(status));
  return (
    <Panel title={t.workingOrders} aside={count(working.length)}>
      {unknown.length > 0 && <UnknownOrders orders={unknown} />}
      {value.orders.length === 0 && <Empty>{t.noOrders}</Empty>}
      {working.length > 0 && <OrderTable orders={working} label={t.workingOrders} />}
    </Panel>
  );
}

/** People know an order by the end of its id. */
const SHOWN_ID = 8;
const shownId = (id: string): string => `#${id.slice(-SHOWN_ID)}`;

const cancelOrder = (id: string): void =>
  void command(`${t.cancel} ${shownId(id)}`, 'cancel-order', { clientOrderId: id, reason: REASON });

interface OrdersProps {
  readonly orders: readonly CockpitOrder[];
}

function OrderTable({ orders, label }: OrdersProps & { readonly label: string }) {
  const columns: readonly TableColumn<CockpitOrder>[] = [
    {
      name: t.order,
      show: ({ clientOrderId: id, orderNo }) => (
        <>
          <OrderLink id={id} /> <span class="quiet">{orderNo ?? ''}</span>
        </>
      ),
    },
    {
      name: t.strategy,
      show: ({ strategy, isAdopted }) => (
        <>
          <span class="name">{strategy}</span> {isAdopted && <Tag tone="warn" text={t.foreign} />}
        </>
      ),
    },
    {
      name: t.side,
      show: ({ side, filledQty, qty, orderCode }) => (
        <>
          <Side side={side} /> <span class="num">{filledQty > 0 ? `${filledQty}/${qty}` : qty}</span>{' '}
          {nameOf(orderCode)}
        </>
      ),
    },
    figureColumn(t.price, ({ limitPoints, orderCode }) => <Points value={limitPoints} of={orderCode} />),
    figureColumn(t.trigger, ({ triggerPoints, orderCode }) => (
      <Points value={triggerPoints} of={orderCode} />
    )),
    { name: t.statusWord, show: ({ status }) => worded(t.status, status) },
  ];
  const cancel = figureColumn<CockpitOrder>(
    t.cancelTitle,
    ({ clientOrderId: id, status }) =>
      status !== 'pending_cancel' && (
        <HoldButton isSmall label={t.cancel} word="cancel" onDone={() => cancelOrder(id)} />
      ),
  );
  const shown = canSteer.value ? [...columns, cancel] : columns;
  return <Table label={label} columns={shown} rows={orders} keyOf={({ clientOrderId }) => clientOrderId} />;
}

const OrderLink = ({ id, day = null }: { readonly id: string; readonly day?: string | null }) => (
  <Button kind="link num" title={`${t.story} ${id}`} onClick={() => set(story, { id, day })}>
    {shownId(id)}
  </Button>
);

/** A row of the journal; its order is a link in place of the number that begins its text. */
export function Line({ entry, time }: { readonly entry: CockpitEntry; readonly time: string }) {
  const { order, day, strategy, tone } = entry;
  const { word, text } = lineOf(entry.word, entry.text);
  const number = order === null ? '' : shownId(order);
  return (
    <div class="entry">
      <time class="num quiet">{time}</time>
      <b class={`tone-${tone}`}>{word}</b>
      <span class="who quiet">{strategy === 'system' && word !== entry.word ? t.system : strategy}</span>
      <span class="what">
        {order !== null && <OrderLink id={order} day={day} />}{' '}
        {text.startsWith(number) ? text.slice(number.length) : text}
      </span>
    </div>
  );
}

const resolve = (id: string, as: 'absent' | 'live'): void =>
  void command(`${t.resolve[as]} ${shownId(id)}`, 'resolve-order', { clientOrderId: id, as, reason: REASON });

function UnknownOrders({ orders }: OrdersProps) {
  return (
    <div class="unknown">
      <p>
        <b>{t.unknownOrders(orders.length)}</b> {t.unknownMeaning}
      </p>
      <OrderTable orders={orders} label={t.unknownOrders(orders.length)} />
      {canSteer.value &&
        orders.map(({ clientOrderId: id }) => (
          <p key={id} class="row">
            <OrderLink id={id} />
            <HoldButton isSmall label={t.resolve.absent} word="absent" onDone={() => resolve(id, 'absent')} />
            <HoldButton isSmall label={t.resolve.live} word="live" onDone={() => resolve(id, 'live')} />
          </p>
        ))}
    </div>
  );
}

function Books({ value: { books } }: { readonly value: CockpitState }) {
  const [areHeldOld, isMoneyOld] = [isOld(books, books.positionsMs), isOld(books, books.moneyMs)];
  const held = books.positions.map(({ orderCode, ...of }) =>
    compared(nameOf(orderCode), of, signed, areHeldOld),
  );
  const figures = books.figures.map(({ what, ...of }) =>
    compared(`${worded(t.figure, what)}, VND`, of, what === 'profit' ? signed : count, isMoneyOld),
  );
  const times = [
    [t.positionsAt, books.positionsMs] as const,
    [t.moneyAt, books.money === 'off' ? null : books.moneyMs] as const,
  ].flatMap(([name, at]) => (at === null ? [] : [`${name} ${moment(at)}`]));
  const rows = [...held, ...figures];
  return (
    <Panel title={t.ourBooks} aside={times.join(', ')}>
      {books.unproven !== null && <p class="note bad">{localized(books.unproven)}</p>}
      {rows.length === 0 && <Empty>{books.positionsMs === null ? t.notCompared : t.nothingHeld}</Empty>}
      {rows.length > 0 && (
        <Comparison
          label={t.ourBooks}
          sources={[t.ours, t.broker, <Hidden>{t.agrees}</Hidden>]}
          rows={rows}
        />
      )}
      {(areHeldOld || isMoneyOld) && <p class="note">{t.booksOld}</p>}
      {books.money === 'off' && <p class="note">{t.moneyOff}</p>}
      {books.money === 'unread' && figures.length === 0 && <p class="note">{t.moneyUnread}</p>}
    </Panel>
  );
}

/** Something has filled since. */
const isOld = ({ lastFillMs }: BooksState, at: number | null): boolean =>
  at !== null && lastFillMs !== null && at < lastFillMs;

function compared(
  what: string,
  { ours, broker }: { readonly ours: number; readonly broker: number | null },
  show: (value: number) => string,
  isOfBefore: boolean,
) {
  const isSame = ours === broker;
  const sign = (
    <span role="img" aria-label={isSame ? t.booksAgree : t.booksDiffer}>
      {isSame ? '=' : '≠'}
    </span>
  );
  const unread = { what, values: [show(ours), t.notRead, ''] };
  if (broker === null) return unread;
  // Beside ours of now, the broker's figure of before the fill would look like a difference.
  if (isOfBefore) return { ...unread, state: 'old' as const };
  const values = [show(ours), show(broker), sign];
  return isSame ? { what, values } : { what, values, state: 'differs' as const };
}

const LATEST = 8;

interface LatestProps {
  readonly title: string;
  readonly isShown: (entry: CockpitEntry) => boolean;
}

/** The newest rows of the journal of one kind. */
export function Latest({ title, isShown }: LatestProps) {
  const rows = entries.value.filter(isShown).slice(-LATEST).toReversed();
  const toJournal = (
    <Button kind="link" onClick={() => set(view, 'journal')}>
      {t.view.journal}
    </Button>
  );
  return (
    <Panel title={title} aside={toJournal}>
      {rows.length === 0 && <Empty>{t.noEntries}</Empty>}
      <ol class="latest">
        {rows.map((each) => (
          <li key={each.id}>
            <Line entry={each} time={moment(each.atMs)} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
