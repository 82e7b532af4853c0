/** Of every fault: how it may be set, and how a client that knows nothing of it notices. */
import { seconds, US_PER_MS } from '../../../src/domain/units.ts';
import type { Fault, FaultName } from '../../../src/simulator/faults/fault.ts';
import type { Started } from './started.ts';
import { firstOf, FrameTap, type Json, rowsOf, type Stranger } from './stranger.ts';

type Arm = () => Promise<unknown>;

export interface FaultEffect<N extends FaultName> {
  readonly fault: Extract<Fault, { readonly name: N }>;
  /** Calls `arm` where the fault has to be set; whether it was noticed then. */
  notices(market: Started, arm: Arm): Promise<boolean>;
}

let references = 0;

async function order(who: Stranger, side: 'B' | 'S', symbol: string) {
  references += 1;
  return who.place({ side, symbol, price: 1_300, volume: 1, refId: `H.${references}` });
}

async function trade({ alice, bob, front }: Started): Promise<void> {
  await order(bob, 'S', front);
  await order(alice, 'B', front);
}

/** Hears trades, and nothing else. */
async function listener({ simulator, front }: Started, who: Stranger): Promise<FrameTap> {
  const tap = await FrameTap.authenticated(simulator.stream, who.token);
  tap.send(`d|s|tk|tm|${front}`);
  await tap.settle();
  return tap;
}

const tradesOf = (tap: FrameTap): unknown[] =>
  tap.payloads('s|21|').map((payload: Json) => payload['totalVolume']);

/** The trades that are heard when two are made under it. */
const heard =
  (expected: readonly number[]) =>
  async (market: Started, arm: Arm): Promise<boolean> => {
    const tap = await listener(market, market.alice);
    await arm();
    await trade(market);
    await trade(market);
    await tap.settle();
    return JSON.stringify(tradesOf(tap)) === JSON.stringify(expected);
  };

const answered =
  (status: number) =>
  async ({ alice }: Started, arm: Arm): Promise<boolean> => {
    await arm();
    return (await alice.inDay()).status === status;
  };

const CALLS_MEANWHILE = 20;
const NEVER_HEARD = 's|99|{"hello":1}';

export const FAULT_EFFECTS: { readonly [N in FaultName]: FaultEffect<N> } = {
  accept_then_drop: {
    fault: { name: 'accept_then_drop', operation: 'place', times: 1 },
    async notices({ alice, front }, arm) {
      await arm();
      const isLost = await order(alice, 'B', front).then(
        () => false,
        () => true,
      );
      return isLost && rowsOf(await alice.inDay()).length === 1;
    },
  },
  late_answer: {
    fault: { name: 'late_answer', operation: 'in-day', delayMs: 60_000, times: 1 },
    async notices({ alice, time }, arm) {
      await arm();
      let isAnswered = false;
      const reply = alice.inDay().then((late) => {
        isAnswered = true;
        return late;
      });
      for (let call = 0; call < CALLS_MEANWHILE; call += 1) await alice.status();
      const isLate = !isAnswered;
      time.advance(seconds(60));
      return (await reply).status === 200 && isLate;
    },
  },
  http_500: { fault: { name: 'http_500', operation: 'in-day' }, notices: answered(500) },
  html_502: { fault: { name: 'html_502' }, notices: answered(502) },
  http_429: { fault: { name: 'http_429' }, notices: answered(429) },
  refuse_for_now: {
    fault: { name: 'refuse_for_now', operation: 'in-day' },
    async notices({ alice }, arm) {
      await arm();
      return (await alice.inDay()).json['rc'] === '-6026';
    },
  },
  hide_new_order: {
    fault: { name: 'hide_new_order', seconds: 5 },
    async notices({ alice, front, time }, arm) {
      await arm();
      await order(alice, 'B', front);
      const before = rowsOf(await alice.inDay()).length;
      time.advance(seconds(5));
      return before === 0 && rowsOf(await alice.inDay()).length === 1;
    },
  },
  empty_book: {
    fault: { name: 'empty_book', book: 'in-day', times: 1 },
    async notices({ alice, front }, arm) {
      await order(alice, 'B', front);
      await arm();
      const before = rowsOf(await alice.inDay()).length;
      return before === 0 && rowsOf(await alice.inDay()).length === 1;
    },
  },
  contradict_status: {
    fault: { name: 'contradict_status', status: 'PMWX' },
    async notices({ alice, front }, arm) {
      await arm();
      await order(alice, 'B', front);
      const { status, matchVolume } = firstOf(await alice.inDay());
      return status === 'PMWX' && matchVolume === 0;
    },
  },
  lose_frame: { fault: { name: 'lose_frame', channel: 'trade', times: 1 }, notices: heard([2]) },
  duplicate_frame: {
    fault: { name: 'duplicate_frame', channel: 'trade', times: 1 },
    notices: heard([1, 1, 2]),
  },
  reorder_frame: { fault: { name: 'reorder_frame', channel: 'trade', times: 1 }, notices: heard([2, 1]) },
  inject_frame: {
    fault: { name: 'inject_frame', text: NEVER_HEARD },
    async notices(market, arm) {
      const tap = await listener(market, market.alice);
      await arm();
      await tap.settle();
      return tap.frames.includes(NEVER_HEARD);
    },
  },
  stop_pongs: {
    fault: { name: 'stop_pongs' },
    async notices(market, arm) {
      const tap = await listener(market, market.alice);
      const pongs = (): number => tap.frames.filter((frame) => frame === 'd|p|||').length;
      const before = pongs();
      await arm();
      tap.send('d|p|||');
      await trade(market);
      await tap.next('s|21|');
      return pongs() === before;
    },
  },
  half_open: {
    fault: { name: 'half_open' },
    async notices(market, arm) {
      const muted = await listener(market, market.alice);
      await arm();
      const other = await listener(market, market.bob);
      await trade(market);
      await other.next('s|21|');
      return tradesOf(muted).length === 0 && muted.socket.readyState === muted.socket.OPEN;
    },
  },
  close_stream: {
    fault: { name: 'close_stream', code: 1002 },
    async notices(market, arm) {
      const tap = await listener(market, market.alice);
      const from = tap.frames.length;
      await arm();
      tap.send('d|p|||');
      return (await Promise.race([tap.closed, tap.next('d|p|||', from)])) === 1002;
    },
  },
  refuse_connections: {
    fault: { name: 'refuse_connections' },
    async notices({ simulator }, arm) {
      await arm();
      return FrameTap.open(simulator.stream).then(
        () => false,
        () => true,
      );
    },
  },
  expire_token: { fault: { name: 'expire_token' }, notices: answered(401) },
  clock_skew: {
    fault: { name: 'clock_skew', seconds: 600 },
    async notices({ alice, time }, arm) {
      await arm();
      const shown = Date.parse((await alice.status()).headers.get('date') ?? '');
      return shown - time.nowUs() / US_PER_MS === 600_000;
    },
  },
  inject_order: {
    fault: { name: 'inject_order', symbol: 'front', side: 'sell', points: 1_310.5, volume: 2 },
    async notices({ alice }, arm) {
      await arm();
      return rowsOf(await alice.inDay()).some((row) => row['showPrice'] === '1310.5');
    },
  },
  inject_position: {
    fault: { name: 'inject_position', symbol: 'front', net: -3 },
    async notices({ alice }, arm) {
      await arm();
      return rowsOf(await alice.positions()).some((row) => row['net'] === -3);
    },
  },
  roll_contract: {
    fault: { name: 'roll_contract' },
    async notices({ alice, front }, arm) {
      await arm();
      return firstOf(await alice.contracts())['symbol'] !== front;
    },
  },
};
