/** Puts the simulated broker together and on its port. Everything listens on the loopback interface alone. */
import type { FastifyInstance } from 'fastify';
import { assert } from '../domain/assert.ts';
import { accountId } from '../domain/ids.ts';
import { DEFAULT_RULES, type MarketOptions, type VenueOptions } from '../venue/venue-options.ts';
import { MoneyDesk } from './accounts/money-desk.ts';
import { OtpDesk } from './auth/otp-desk.ts';
import { TokenDesk } from './auth/token-desk.ts';
import { Brokerage } from './brokerage/brokerage.ts';
import { openMarket } from './brokerage/open-market.ts';
import { type AccountSettings, derivativeOf } from './accounts/account-settings.ts';
import { SubAccounts } from './accounts/sub-accounts.ts';
import { internalStreamCode } from './brokerage/stream-codes.ts';
import { DEFAULT_OPTIONS, VN30_FUTURE } from './default-options.ts';
import { BookDistortion } from './faults/book-distortion.ts';
import { createControlServer } from './faults/control-server.ts';
import { FaultBoard } from './faults/fault-board.ts';
import { FaultControl } from './faults/fault-control.ts';
import { createOperations } from './http/operations.ts';
import { createRestServer } from './http/rest-server.ts';
import { type RunningSimulator, runningSimulator } from './running-simulator.ts';
import type { SimulatorOptions } from './simulator-options.ts';
import { StateStore } from './state/state-store.ts';
import { VenueMemory } from './state/venue-memory.ts';
import { PriceFeed } from './stream/price-feed.ts';
import { StreamServer } from './stream/stream-server.ts';
import type { MarketClock } from './time/market-clock.ts';

const HOST = '127.0.0.1';

export async function startSimulator(given: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  const options: SimulatorOptions = { ...DEFAULT_OPTIONS, ...given };
  const store = StateStore.open({ dir: options.stateDir, fresh: options.fresh });
  try {
    return await listen(assemble(options, store), options);
  } catch (error) {
    store.close();
    throw error;
  }
}

interface Assembled {
  readonly store: StateStore;
  readonly brokerage: Brokerage;
  readonly market: MarketClock;
  readonly faults: FaultControl;
  readonly counters: ReadonlyMap<string, number>;
  readonly rest: FastifyInstance;
  readonly stream: StreamServer;
  readonly account: AccountSettings;
}

function assemble(options: SimulatorOptions, store: StateStore): Assembled {
  const { clock, timers, accounts, calendar } = options;
  const { utcOffsetMinutes } = calendar;
  const account = accounts[0];
  assert(account !== undefined, 'a simulator has at least one account');
  const memory = new VenueMemory(store);
  const { clock: market, venueMarket, prints } = openMarket(options, memory);
  const venue = venueOptions(options, venueMarket);
  const brokerage = new Brokerage({ memory, market, clock, timers, prints, venue });
  const subAccounts = new SubAccounts(store, accounts);
  const tokens = new TokenDesk({ store, clock, settings: options.auth });
  const otps = new OtpDesk({ store, clock, settings: options.auth, accounts, tokens, utcOffsetMinutes });
  const board = new FaultBoard();
  const book = new BookDistortion(board, clock);
  const operations = createOperations({
    otps,
    brokerage,
    subAccounts,
    money: new MoneyDesk(store, subAccounts, brokerage),
    book,
    readings: options.readings,
    conditionLife: options.rules.conditionLife ?? DEFAULT_RULES.conditionLife,
    utcOffsetMinutes,
  });
  const rest = createRestServer({ operations, accounts, tokens, faults: board, clock, timers });
  const counters = new Map<string, number>();
  const stream = new StreamServer({
    settings: options.stream,
    server: rest.server,
    tokens,
    clock,
    timers,
    faults: board,
    count: (what) => counters.set(what, (counters.get(what) ?? 0) + 1),
    subscribed(session, channels, codes) {
      feed.greet(session, channels, codes);
      // A recorded day that waited for its first listener begins.
      if (!market.held) return;
      market.release();
      brokerage.wake();
    },
  });
  const feed = new PriceFeed({ brokerage, faults: board, sessions: stream.sessions });
  const faults = new FaultControl({
    board,
    stream,
    tokens,
    brokerage,
    account: accountId(account.custodyCode),
    cutRest: () => rest.server.closeAllConnections(),
  });
  brokerage.wake();
  return { store, brokerage, market, faults, counters, rest, stream, account };
}

async function listen(parts: Assembled, options: SimulatorOptions): Promise<RunningSimulator> {
  const { store, brokerage, market, faults, counters, rest, stream, account } = parts;
  const accounts = options.accounts.map(({ custodyCode }) => accountId(custodyCode));
  const control = createControlServer({ faults, brokerage, market, accounts, counters });
  const close = async (): Promise<void> => {
    stream.shutDown();
    await Promise.all([rest.close(), control.close()]);
    brokerage.close();
    store.close();
  };
  try {
    const port = await listenOn(rest, options.port);
    const controlPort = options.controlPort === null ? null : await listenOn(control, options.controlPort);
    const connections = (): number => stream.sessions.size;
    const listening = { port, controlPort, account, brokerage, market, faults, counters, connections, close };
    return runningSimulator(listening);
  } catch (error) {
    await close();
    throw error;
  }
}

async function listenOn(server: FastifyInstance, port: number): Promise<number> {
  await server.listen({ host: HOST, port });
  const address = server.server.address();
  assert(typeof address === 'object' && address !== null, 'a listening server has an address');
  return address.port;
}

function venueOptions(options: SimulatorOptions, market: MarketOptions): Omit<VenueOptions, 'startUs'> {
  return {
    calendar: options.calendar,
    costs: options.costs,
    spec: VN30_FUTURE,
    accounts: options.accounts.flatMap((account) => {
      const derivative = derivativeOf(account);
      if (derivative === undefined) return [];
      const { accountNo, cash } = derivative;
      return [{ accountId: accountId(account.custodyCode), subAccountId: accountNo, cash }];
    }),
    market,
    codes: options.codes,
    ...(options.streamCodes === 'internal' && { streamCodeOf: internalStreamCode }),
    rules: options.rules,
  };
}
