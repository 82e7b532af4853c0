/** Some cells of the restart matrix with processes of their own and a true `kill -9`: what rested at the broker is known, and nothing is sent. */
import { expect, onTestFinished, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  control,
  journalEntries,
  simulatorLink,
  startDaemon,
  until,
  type Workplace,
  workplace,
} from './daemon-process.ts';
import { programWith } from './program-with.ts';

/** Takes a position; then an order rests at one end of the band, and a stop waits at the same end. */
const HOLDER = `
const added = defineStrategy({
  name: 'holder',
  summary: 'a position, an order that rests and a stop that waits',
  params: z.object({ side: z.enum(['buy', 'sell']) }),
  legs: ['contract'],
  connect(ticks, trader) {
    const { side } = trader.params;
    const away = side === 'buy' ? 1 : -1;
    ticks.trades$.subscribe(({ price }) => {
      const band = trader.band();
      if (band === undefined || trader.workingOrders().length > 0) return;
      if (trader.position().qty === 0) return trader.submit(side, { qty: 2, price: price + 30 * away, reason: 'enters' });
      const end = side === 'buy' ? band.floor : band.ceiling;
      trader.submit(side, { qty: 1, price: end, reason: 'rests' });
      const stop = { side: side === 'buy' ? 'sell' : 'buy', qty: 1, trigger: end + 10 * away, price: end + 5 * away };
      trader.submit({ kind: 'stop', ...stop, reason: 'waits' });
    });
  },
});
`;

interface BrokerState {
  readonly orders: readonly {
    readonly orderNo: string;
    readonly filledQty: number;
    readonly status: string;
  }[];
  readonly positions: readonly { readonly net: number }[];
}

/** Orders at the exchange and positions. */
async function brokerState(place: Workplace): Promise<BrokerState> {
  const reply = await control(place, `/accounts/${simulatorLink(place).custodyCode}`);
  const { orders, positions } = (await reply.json()) as BrokerState;
  return { orders, positions: positions.map(({ net }) => ({ net })) };
}

const count = (place: Workplace, kind: string): number =>
  journalEntries(place).filter(({ entry }) => entry.kind === kind).length;

test.each(['buy', 'sell'])(
  'a kill with a position from a %s, an order that rests and a stop that waits moves nothing',
  { timeout: 300_000 },
  async (side) => {
    const place = workplace(
      BUSY_CONFIG.replace('strategy: ema-cross', 'strategy: holder')
        .replace(/params: .*/, `params: { side: ${side} }`)
        .replace('risk: { orders', 'risk: { collarPercent: 10, orders'),
    );
    const main = programWith(HOLDER);
    const first = startDaemon(place, [], main);
    await first.line(/stream: live/);
    // The broker outlives its daemon.
    onTestFinished(() => void process.kill(simulatorLink(place).pid, 'SIGKILL'));
    await until(() =>
      count(place, 'order_waiting') > 0 && count(place, 'outcome') === 3 ? true : undefined,
    );
    await first.end('SIGKILL');
    const before = await brokerState(place);
    expect(before.positions).toEqual([{ net: side === 'buy' ? 2 : -2 }]);
    expect(before.orders).toHaveLength(2);
    for (const restart of ['first', 'second']) {
      const agreed = count(place, 'position_agreed');
      const again = startDaemon(place, [], main);
      await until(() => (count(place, 'position_agreed') > agreed ? true : undefined));
      await again.end('SIGKILL');
      expect(await brokerState(place), `${restart} restart`).toEqual(before);
    }
    expect([count(place, 'place'), count(place, 'cancel'), count(place, 'order_adopted')]).toEqual([3, 0, 0]);
    expect([count(place, 'strategy_fault'), count(place, 'position_mismatch')]).toEqual([0, 0]);
  },
);
