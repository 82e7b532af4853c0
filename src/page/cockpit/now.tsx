/** The state of the moment on one screen: what is held, how near each limit is, what works at the exchange, and whether our books are the broker's. */
import type {
  CockpitState,
  LimitState,
  OrderState,
  PositionState,
} from '../../operator/cockpit/cockpit-model.ts';
import { clockTime, count, duration, signed, worded } from './format.ts';
import {
  Bar,
  Cell,
  Dot,
  Empty,
  heldOnes,
  HoldButton,
  Panel,
  Points,
  Positions,
  Side,
  Table,
  Vnd,
} from './parts.tsx';
import { canSteer, command, entries, nowMs, prices, state, story, view, views } from './store.ts';
import { Customers } from './simulator.tsx';
import { Otp } from './steer.tsx';
import { t } from './text.ts';

export function Now() {
  const { value } = state;
  if (value === null) return null;
  return (
    <div class="now">
      <h2 class="hidden">{t.view.now}</h2>
      {value.broker === undefined && <DaemonNow value={value} />}
      {value.broker !== undefined && (
        <>
          <Customers broker={value.broker} />
          <div class="stack full">
            <Orders value={value} />
          </div>
        </>
      )}
      <Latest />
    </div>
  );
}

const DaemonNow = ({ value }: { readonly value: CockpitState }) => (
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
  </>
);

function Figures({ value }: { readonly value: CockpitState }) {
  const { money, strategies, orders } = value;
  const fills = strategies.reduce((sum, each) => sum + each.fills, 0);
  return (
    <div class="figures">
      <dl>
        <div class="figure">
          <dt>{t.dayPnl}</dt>
          <dd>
            <Vnd value={money.dayPnlVnd} />
          </dd>
        </div>
        <div class="figure">
          <dt>{t.costs}</dt>
          <dd>
            <Vnd value={money.feeVnd + money.taxVnd} isSigned={false} />
          </dd>
        </div>
        <div class="figure">
          <dt>{t.openOrders}</dt>
          <dd class="num">{count(orders.length)}</dd>
        </div>
        <div class="figure">
          <dt>{t.fills}</dt>
          <dd class="num">{count(fills)}</dd>
        </div>
      </dl>
      <Health value={value} />
    </div>
  );
}

function Health({ value: { feed, engine, token, books } }: { readonly value: CockpitState }) {
  const isLive = feed.state === 'live' && !feed.isStale && !feed.isBehind;
  const feedText = feed.isStale ? t.feedStale : feed.isBehind ? t.feedBehind : worded(t.feed, feed.state);
  const left = token.untilRealMs === null ? null : token.untilRealMs - nowMs.value;
  const tokenTone = left === null || left <= 0 ? 'bad' : left < 30 * 60_000 ? 'warn' : 'good';
  const isProven = books.unproven === null && books.money !== 'differs';
  const isCompared = engine.state !== 'none' && books.readMs !== null;
  return (
    <ul class="health" aria-label={t.health}>
      <li>
        <span>{t.prices}</span>
        <Dot tone={isLive ? 'good' : feed.state === 'stopped' ? 'off' : 'bad'} label={feedText} />
      </li>
      <li>
        <span>{t.engine}</span>
        <Dot
          tone={engine.state === 'running' ? 'good' : engine.state === 'hung' ? 'bad' : 'off'}
          label={t.engineStates[engine.state]}
        />
      </li>
      <li>
        <span>{t.token}</span>
        <Dot
          tone={tokenTone}
          label={
            left === null || left <= 0
              ? t.tokenNone
              : `${duration(left)} · ${token.exchangesUsed}/${token.exchangesAllowed} ${t.exchanges}`
          }
        />
      </li>
      <li>
        <span>{t.books}</span>
        {isCompared && (
          <Dot tone={isProven ? 'good' : 'bad'} label={isProven ? t.booksAgree : t.booksDiffer} />
        )}
        {!isCompared && <Dot tone="off" label={t.notCompared} />}
      </li>
    </ul>
  );
}

const tickOf = (value: CockpitState, contract: string): number =>
  value.contracts.find((each) => each.contract === contract)?.tickPoints ?? 0.1;

const HELD = {
  strategy: { name: t.strategy },
  position: { name: t.position, isNumber: true },
  price: { name: t.entryAndLast, isNumber: true },
  open: { name: t.open, isNumber: true },
  costs: { name: t.costs, isNumber: true },
  day: { name: t.day, isNumber: true },
} as const;

function Strategies({ value }: { readonly value: CockpitState }) {
  return (
    <Panel title={t.positionsAndPnl}>
      {value.strategies.length === 0 && <Empty>{t.noStrategies}</Empty>}
      {value.strategies.length > 0 && (
        <Table label={t.positionsAndPnl} columns={Object.values(HELD)}>
          {value.strategies.map((each) => (
            <tr key={each.id}>
              <Cell of={HELD.strategy}>
                <b>{each.id}</b>{' '}
                {each.stopped !== null && (
                  <span class="tag bad" title={each.stopped}>
                    {t.stopped}
                  </span>
                )}
                {each.halted !== null && (
                  <span class="tag warn" title={each.halted}>
                    {t.halted}
                  </span>
                )}
              </Cell>
              <Cell of={HELD.position}>
                <Positions
                  positions={each.positions}
                  show={(position) => `${signed(position.qty)} ${position.contract}`}
                />
              </Cell>
              <Cell of={HELD.price}>
                <Prices value={value} positions={each.positions} />
              </Cell>
              <Cell of={HELD.open}>
                <Vnd value={each.positions.reduce((sum, position) => sum + position.openVnd, 0)} />
              </Cell>
              <Cell of={HELD.costs}>
                <Vnd value={each.feeVnd + each.taxVnd} isSigned={false} />
              </Cell>
              <Cell of={HELD.day}>
                <b>
                  <Vnd value={each.dayPnlVnd} />
                </b>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** Entry, and where the price is now. */
function Prices({
  value,
  positions,
}: {
  readonly value: CockpitState;
  readonly positions: readonly PositionState[];
}) {
  return (
    <>
      {heldOnes(positions).map(({ contract, avgPoints }) => {
        const tick = tickOf(value, contract);
        return (
          <div key={contract}>
            <Points value={avgPoints} tick={tick} /> <span class="quiet">→</span>{' '}
            <Points value={prices.value.get(contract)?.last?.[0] ?? null} tick={tick} />
          </div>
        );
      })}
    </>
  );
}

const WARN_FROM = 0.7;

const useOf = ({ used, max }: LimitState): number => (max <= 0 ? (used > 0 ? 1 : 0) : used / max);

/** The fullest first: those of nobody's concern end below. */
function Limits({ value }: { readonly value: CockpitState }) {
  const rows = value.limits.toSorted((a, b) => useOf(b) - useOf(a));
  return (
    <Panel title={t.limits}>
      {rows.length === 0 && <Empty>{t.noLimits}</Empty>}
      <ul class="limits">
        {rows.map((each) => (
          <Limit key={`${each.strategy ?? ''}/${each.limit}`} use={each} />
        ))}
      </ul>
    </Panel>
  );
}

function Limit({ use }: { readonly use: LimitState }) {
  const part = useOf(use);
  const tone = part >= 1 ? 'bad' : part >= WARN_FROM ? 'warn' : 'good';
  const name = `${worded(t.limit, use.limit)}${use.strategy === null ? '' : ` · ${use.strategy}`}`;
  const unit = use.unit === 'VND' || use.unit === '%' ? use.unit : t.unit[use.unit];
  return (
    <li>
      <span class="limit-name">{name}</span>
      <span class="num quiet">
        <b>{count(use.used)}</b> / {count(use.max)} {unit}
      </span>
      <Bar part={part} tone={tone} label={name} />
    </li>
  );
}

function Orders({ value }: { readonly value: CockpitState }) {
  const unknown = value.orders.filter(({ isUnknown }) => isUnknown);
  const working = value.orders.filter(({ isUnknown }) => !isUnknown);
  return (
    <Panel title={t.workingOrders} aside={count(working.length)}>
      {unknown.length > 0 && <UnknownOrders orders={unknown} value={value} />}
      {value.orders.length === 0 && <Empty>{t.noOrders}</Empty>}
      {working.length > 0 && <OrderTable orders={working} value={value} label={t.workingOrders} />}
    </Panel>
  );
}

const ORDER = {
  order: { name: t.order },
  strategy: { name: t.strategy },
  side: { name: t.side },
  price: { name: t.price, isNumber: true },
  trigger: { name: t.trigger, isNumber: true },
  status: { name: t.statusWord },
  cancel: { name: t.cancelTitle, isNumber: true },
} as const;

const cancelOrder = (id: string): void =>
  void command(`${t.cancel} #${id.slice(-SHOWN_ID)}`, 'cancel-order', {
    clientOrderId: id,
    reason: 'by the page',
  });

export function OrderTable({
  orders,
  value,
  label,
}: {
  readonly orders: readonly OrderState[];
  readonly value: CockpitState;
  readonly label: string;
}) {
  const isOurs = value.broker === undefined;
  const canAct = canSteer.value && isOurs;
  const columns = isOurs ? ORDER : { ...ORDER, strategy: { name: t.customer } };
  return (
    <Table label={label} columns={Object.values(columns).slice(0, canAct ? undefined : -1)}>
      {orders.map((order) => (
        <tr key={order.id}>
          <Cell of={ORDER.order}>
            {isOurs && <OrderLink id={order.id} />} <span class="quiet">{order.orderNo ?? ''}</span>
          </Cell>
          <Cell of={columns.strategy}>
            {order.strategy} {order.isAdopted && <span class="tag warn">{t.foreign}</span>}
          </Cell>
          <Cell of={ORDER.side}>
            <Side side={order.side} />{' '}
            <span class="num">
              {order.filledQty > 0 ? `${order.filledQty}/` : ''}
              {order.qty}
            </span>{' '}
            {order.contract}
          </Cell>
          <Cell of={ORDER.price}>
            <Points value={order.limitPoints} tick={tickOf(value, order.contract)} />
          </Cell>
          <Cell of={ORDER.trigger}>
            <Points value={order.triggerPoints} tick={tickOf(value, order.contract)} />
          </Cell>
          <Cell of={ORDER.status}>{worded(t.status, order.status)}</Cell>
          {canAct && (
            <Cell of={ORDER.cancel}>
              {order.status !== 'pending_cancel' && (
                <HoldButton isSmall label={t.cancel} word="cancel" onDone={() => cancelOrder(order.id)} />
              )}
            </Cell>
          )}
        </tr>
      ))}
    </Table>
  );
}

/** People know an order by the end of its id. */
const SHOWN_ID = 8;

export const OrderLink = ({ id, day = null }: { readonly id: string; readonly day?: string | null }) => (
  <button
    type="button"
    class="link num"
    title={`${t.story} ${id}`}
    onClick={() => {
      story.value = { id, day };
    }}
  >
    #{id.slice(-SHOWN_ID)}
  </button>
);

const resolve = (id: string, as: 'absent' | 'live'): void =>
  void command(`${t.resolve[as]} #${id.slice(-SHOWN_ID)}`, 'resolve-order', {
    clientOrderId: id,
    as,
    reason: 'by the page',
  });

function UnknownOrders({
  orders,
  value,
}: {
  readonly orders: readonly OrderState[];
  readonly value: CockpitState;
}) {
  return (
    <div class="unknown">
      <p>
        <b>{t.unknownOrders(orders.length)}</b> {t.unknownMeaning}
      </p>
      <OrderTable orders={orders} value={value} label={t.unknownOrders(orders.length)} />
      {canSteer.value &&
        orders.map(({ id }) => (
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
  const age = books.readMs === null ? null : clockTime(books.readMs);
  return (
    <Panel title={t.ourBooks} aside={age === null ? '' : `${t.readAt} ${age}`}>
      {books.unproven !== null && <p class="note bad">{books.unproven}</p>}
      {books.positions.length === 0 && books.figures.length === 0 && <Empty>{t.nothingHeld}</Empty>}
      {books.positions.length + books.figures.length > 0 && (
        <table class="compare" aria-label={t.ourBooks}>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{t.what}</span>
              </th>
              <th scope="col">{t.ours}</th>
              <th scope="col">{t.broker}</th>
              <th scope="col">
                <span class="hidden">{t.agrees}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {books.positions.map(({ contract, ours, broker }) => (
              <Compared key={contract} what={contract} ours={ours} broker={broker} show={signed} />
            ))}
            {books.figures.map(({ what, ours, broker }) => (
              <Compared
                key={what}
                what={`${worded(t.figure, what)}, VND`}
                ours={ours}
                broker={broker}
                show={what === 'profit' ? signed : count}
              />
            ))}
          </tbody>
        </table>
      )}
      {books.money === 'off' && <p class="note">{t.moneyOff}</p>}
      {books.money === 'unread' && <p class="note">{t.moneyUnread}</p>}
    </Panel>
  );
}

function Compared({
  what,
  ours,
  broker,
  show,
}: {
  readonly what: string;
  readonly ours: number;
  readonly broker: number | null;
  readonly show: (value: number) => string;
}) {
  const isSame = ours === broker;
  return (
    <tr class={isSame || broker === null ? '' : 'differs'}>
      <th scope="row">{what}</th>
      <td class="right num">{show(ours)}</td>
      <td class="right num">{broker === null ? t.notRead : show(broker)}</td>
      <td>
        <span role="img" aria-label={isSame ? t.booksAgree : t.booksDiffer}>
          {isSame ? '=' : '≠'}
        </span>
      </td>
    </tr>
  );
}

const LATEST = 8;

function Latest() {
  const rows = entries.value
    .filter(({ text }) => text !== '')
    .slice(-LATEST)
    .toReversed();
  const toJournal = (
    <button
      type="button"
      class="link"
      onClick={() => {
        view.value = 'journal';
      }}
    >
      {t.view.journal}
    </button>
  );
  return (
    <Panel title={t.latest} area="full" aside={views.value.includes('journal') && toJournal}>
      {rows.length === 0 && <Empty>{t.noEntries}</Empty>}
      <ol class="latest">
        {rows.map((each) => (
          <li key={each.id}>
            <time class="num quiet">{clockTime(each.atMs)}</time>
            <b class={`tone-${each.tone}`}>{each.word}</b>
            <span class="who quiet">{each.strategy}</span>
            <span class="what">{each.text}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
