/** What a day earned, the days before it, and each closed trade. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CockpitResults, CockpitState, TradeState } from '../../operator/cockpit/cockpit-model.ts';
import { Calendar } from '../charts/calendar.tsx';
import { type ChartContent, type ChartLook, drawLineChart } from '../charts/line-chart.ts';
import { attribute } from '../charts/price-chart.ts';
import {
  clockTime,
  count,
  average,
  Choice,
  Empty,
  Panel,
  Table,
  figureColumn,
  type TableColumn,
  useAnswer,
  Vnd,
  Waiting,
} from './parts.tsx';
import { entries } from './store.ts';
import { LANGUAGE, t } from './text.ts';

const CHART_PX = 220;

export function Results({ value }: { readonly value: CockpitState }) {
  const chosen = useSignal('');
  const lastFill = entries.value.findLast(({ kind }) => kind === 'fill')?.id;
  const answer = useAnswer<CockpitResults>(
    chosen.value === '' ? '/results' : `/results?day=${chosen.value}`,
    lastFill,
  );
  const found = answer.value;
  if (found === null) return <Waiting {...answer} />;
  const { day, days, curve, trades } = found;
  const net = curve.at(-1)?.[1] ?? 0;
  const sum = days.reduce((total, each) => total + each.net, 0);
  const { utcOffsetMinutes } = value.session;
  return (
    <>
      <div class="filters">
        <Choice
          name={t.dayWord}
          value={chosen}
          options={days.toReversed().map((each) => [each.day, each.day])}
          all={t.latestDay}
        />
      </div>
      <div class="stack wide">
        <Panel title={`${t.realisedOn} ${day}`} aside={<Vnd value={net} />}>
          {curve.length === 0 && <Empty>{t.noFills}</Empty>}
          {curve.length > 0 && (
            <Curve
              key={`${day} ${curve.length}`}
              look={{ height: CHART_PX, utcOffsetMinutes, unit: 'VND', isFromZero: true }}
              x={curve.map(([atMs]) => atMs / 1_000)}
              values={curve.map(([, each]) => each)}
            />
          )}
          <p class="note">
            {t.realisedMeaning}
            {day === value.session.day && (
              <>
                {' '}
                {t.dayPnl}: <Vnd value={value.money.dayPnl} />
              </>
            )}
          </p>
        </Panel>
        <Panel title={t.closedTrades} aside={count(trades.length)}>
          {trades.length === 0 && <Empty>{t.noTrades}</Empty>}
          {trades.length > 0 && <Trades rows={trades} />}
        </Panel>
      </div>
      <Panel title={t.pastDays} area="third" aside={<Vnd value={sum} />}>
        <Days key={`${days.length} ${sum}`} days={days} />
      </Panel>
    </>
  );
}

const DAYS_PX = 120;

/** Each day's result is in the calendar, their sum in the curve. */
function Days({ days }: Pick<CockpitResults, 'days'>) {
  let sum = 0;
  return (
    <>
      {days.length > 1 && (
        <Curve
          look={{
            height: DAYS_PX,
            utcOffsetMinutes: 0,
            unit: 'VND',
            isFromZero: true,
            name: (at) => days[at]?.day ?? '',
          }}
          x={days.map(({ day }) => Date.parse(day) / 1_000)}
          values={days.map(({ net }) => (sum += net))}
        />
      )}
      {Calendar({ days: days.map(({ day }) => day), profit: days.map(({ net }) => net) }, 0, LANGUAGE)}
    </>
  );
}

function Curve({
  look,
  x,
  values,
}: Pick<ChartContent, 'x'> & { readonly look: ChartLook; readonly values: readonly number[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return undefined;
    const lines = [{ label: t.afterCosts, values, colour: 'price', kind: 'area' }] as const;
    const stop = drawLineChart(box.current, look, { x, lines });
    attribute(box.current);
    return stop;
  }, []);
  return <div ref={box} role="group" aria-label={t.afterCosts} />;
}

const Trades = ({ rows }: { readonly rows: readonly TradeState[] }) => {
  const columns: readonly TableColumn<TradeState>[] = [
    { name: t.closedAt, show: ({ atMs }) => <span class="num">{clockTime(atMs)}</span> },
    { name: t.strategy, show: ({ strategy }) => <span class="name">{strategy}</span> },
    {
      name: t.position,
      show: ({ side, qty, contract }) => (
        <>
          <span class={side === 'long' ? 'buy' : 'sell'}>{t.sides[side]}</span> <span class="num">{qty}</span>{' '}
          {contract}
        </>
      ),
    },
    figureColumn(t.entryAndExit, ({ entryPoints, exitPoints }) => (
      <span class="num">
        {average(entryPoints)} <span class="quiet">→</span> {average(exitPoints)}
      </span>
    )),
    figureColumn(t.afterCosts, ({ net }) => <Vnd value={net} />),
  ];
  return (
    <Table
      label={t.closedTrades}
      columns={columns}
      rows={rows}
      keyOf={(row) => `${row.atMs} ${row.strategy} ${row.contract} ${row.net}`}
    />
  );
};
