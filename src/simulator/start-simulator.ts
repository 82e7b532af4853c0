/** Starts the simulated broker. Everything listens on the loopback interface alone. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { assert } from '../domain/assert.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import { dayAt } from '../domain/civil-date.ts';
import { accountId } from '../domain/ids.ts';
import type { TsUs } from '../domain/units.ts';
import type { VenueEvent } from '../venue/venue-event.ts';
import type { MarketOptions, VenueOptions } from '../venue/venue-options.ts';
import { derivativeOf, DEFAULT_OPTIONS, type SimulatorOptions, VN30_FUTURE } from './simulator-options.ts';
import { SubAccounts } from './accounts/sub-accounts.ts';
import { OtpService } from './auth/otp-service.ts';
import { TokenService } from './auth/token-service.ts';
import { Brokerage } from './brokerage/brokerage.ts';
import { internalStreamCode, openMarket } from './brokerage/open-market.ts';
import { createControlServer, FaultControl } from './simulator-control.ts';
import { BookDistortion, FaultBoard } from './faults/fault-board.ts';
import { createHandlers } from './http/handlers.ts';
import { createRestServer, type RequestParts } from './http/rest-server.ts';
import { StateStore, VenueMemory } from './state/state-store.ts';
import { PriceFeed } from './stream/price-feed.ts';
import { STREAM_PATH, StreamServer } from './stream/stream-server.ts';
import { skewedClock } from './time/market-clock.ts';

const HOST = '127.0.0.1';
const SERVICE_RESTART = 1012;
/** Bytes of a close frame. */
const CLOSE_REASON_MAX = 120;

export async function startSimulator(given: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  const options: SimulatorOptions = { ...DEFAULT_OPTIONS, ...given };
  const store = StateStore.open({ dir: options.stateDir, fresh: options.fresh });
  try {
    const assembled = assembleSimulator(options, store);
    assertInCalendar(options.calendar, assembled.market.nowUs());
    assembled.brokerage.wake();
    return await listen(assembled, options);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** A broker that refuses every order of its day is no broker to try something with. */
function assertInCalendar({ name, validTo, utcOffsetMinutes }: TradingCalendar, at: TsUs): void {
  const day = dayAt(at, utcOffsetMinutes);
  if (day <= validTo) return;
  throw new Error(
    `simulator: calendar ${name} lists the days without a session until ${validTo}, and its market would begin on ${day}: ` +
      "add the closures of later days to the market's file of closures (closures.json) and raise its validTo",
  );
}

async function listen(parts: SimulatorParts, options: SimulatorOptions): Promise<RunningSimulator> {
  const { store, brokerage, otps, stream, requests, sockets } = parts;
  const rest = createRestServer({ ...requests, clock: parts.clock, timers: options.timers });
  stream.attach(rest.server);
  sockets.cut = () => rest.server.closeAllConnections();
  const accounts = options.accounts.map(({ custodyCode }) => accountId(custodyCode));
  const otpOf = (custodyCode: string): string | undefined => {
    const customer = options.accounts.find((account) => account.custodyCode === custodyCode);
    return customer === undefined ? undefined : otps.shown(customer);
  };
  const controlToken = randomBytes(18).toString('base64url');
  const control = createControlServer({ ...parts, accounts, otpOf, token: controlToken });
  const close = async (): Promise<void> => {
    stream.shutDown();
    await Promise.all([rest.close(), control.close()]);
    brokerage.close();
    store.close();
  };
  try {
    const port = await listenOn(rest, options.port);
    const url = `http://${HOST}:${await listenOn(control, options.controlPort)}`;
    return runningSimulator(parts, port, { control: url, controlToken }, close);
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

export type SimulatorParts = ReturnType<typeof assembleSimulator>;
type Services = ReturnType<typeof createServices>;

/** Everything but the sockets. */
export function assembleSimulator(options: SimulatorOptions, store: StateStore) {
  const [account] = options.accounts;
  assert(account !== undefined, 'a simulator has at least one account');
  const services = createServices(options, store);
  const { board, brokerage, tokens } = services;
  const book = new BookDistortion(board, options.clock);
  const requests: RequestParts = {
    ...services,
    handlers: createHandlers({ ...options, ...services, book }),
    accounts: options.accounts,
    refusalStatus: options.auth.refusalStatus,
  };
  const counters = new Map<string, number>();
  const stream = createStream(options, services, counters);
  /** Nothing to cut until sockets listen. */
  const sockets = { cut: () => {} };
  const faults = new FaultControl({
    board,
    stream,
    tokens,
    brokerage,
    accounts: tradingAccounts(options).map(({ accountId: id }) => id),
    cutRest: () => sockets.cut(),
  });
  return { ...services, faults, counters, requests, stream, sockets, account };
}

function createServices(options: SimulatorOptions, store: StateStore) {
  const { timers, accounts, calendar } = options;
  const board = new FaultBoard();
  const clock = skewedClock(options.clock, board);
  const memory = new VenueMemory(store);
  const { clock: market, venueMarket, ...source } = openMarket(options, memory);
  const venue = venueOptions(options, venueMarket);
  const brokerage = new Brokerage({ memory, market, clock: options.clock, timers, ...source, venue });
  const subAccounts = new SubAccounts(store, brokerage, accounts);
  const tokens = new TokenService({ store, clock, settings: options.auth });
  const { utcOffsetMinutes } = calendar;
  const otps = new OtpService({ store, clock, settings: options.auth, accounts, tokens, utcOffsetMinutes });
  return { store, board, clock, market, brokerage, subAccounts, tokens, otps };
}

function createStream(
  options: SimulatorOptions,
  { board, clock, market, brokerage, tokens }: Services,
  counters: Map<string, number>,
): StreamServer {
  const stream = new StreamServer({
    settings: options.stream,
    tokens,
    clock,
    timers: options.timers,
    faults: board,
    isAway: () => source?.isLive === false,
    count: (what) => counters.set(what, (counters.get(what) ?? 0) + 1),
    subscribed(session, channels, codes) {
      feed.greet(session, channels, codes);
      // A recorded day that waited for its first listener begins.
      if (!market.held) return;
      market.release();
      brokerage.wake();
    },
  });
  const { sessions } = stream;
  const source = options.market.kind === 'feed' ? options.market.source : null;
  source?.follow({
    onMore: () => brokerage.wake(),
    onCut: (reason) => stream.closeAll(SERVICE_RESTART, reason.slice(0, CLOSE_REASON_MAX)),
  });
  const feed = new PriceFeed({
    isPassing: source !== null,
    brokerage,
    faults: board,
    sessions,
    settings: options.stream,
  });
  return stream;
}

const tradingAccounts = (options: SimulatorOptions): VenueOptions['accounts'] =>
  options.accounts.flatMap((account) => {
    const derivative = derivativeOf(account);
    if (derivative === undefined) return [];
    const { accountNo, cash } = derivative;
    return [{ accountId: accountId(account.custodyCode), subAccountId: accountNo, cash }];
  });

const venueOptions = (options: SimulatorOptions, market: MarketOptions): Omit<VenueOptions, 'startUs'> => ({
  calendar: options.calendar,
  costs: options.costs,
  spec: VN30_FUTURE,
  accounts: tradingAccounts(options),
  market,
  codes: options.codes,
  ...(options.streamCodes === 'internal' && { streamCodeOf: internalStreamCode }),
  rules: options.rules,
});

/** Plain data: one process hands it to another. */
export interface MarketStep {
  /** Messages so far on the newest connection of the stream. */
  readonly sent: number;
  /** Market time of the market's next step; Infinity, or null where it came as JSON, for never. */
  readonly nextUs: number | null;
}

export type RunningSimulator = Readonly<ReturnType<typeof runningSimulator>>;

function runningSimulator(
  { account, brokerage, market, faults, counters, stream, otps }: SimulatorParts,
  port: number,
  control: { readonly control: string; readonly controlToken: string },
  close: () => Promise<void>,
) {
  const id = accountId(account.custodyCode);
  const contracts = (): readonly string[] => brokerage.boards().map(({ contract }) => contract.orderCode);
  return {
    port,
    ...control,
    rest: `http://127.0.0.1:${port}`,
    stream: `ws://127.0.0.1:${port}${STREAM_PATH}`,
    apiKey: account.apiKey,
    get otp() {
      return otps.shown(account);
    },
    custodyCode: account.custodyCode,
    accountId: account.custodyCode,
    subAccountId: derivativeOf(account)?.accountNo ?? '',
    /** Order code of the listed contract that expires first. */
    get frontMonth() {
      return contracts()[0] ?? '';
    },
    /** Order codes, nearest expiry first. */
    get contracts() {
      return contracts();
    },
    faults,
    /** By name: malformed frames, refused connections, ... */
    counters,
    get connections() {
      return stream.sessions.size;
    },
    /** From real to market time; a client that uses it has the same phases as the simulator. */
    clockMap: () => market.map,
    /** Reports each time what it has sent, and when it has more. */
    onStep: (listener: (step: MarketStep) => void) =>
      brokerage.onDue((dueUs) => listener({ sent: stream.newest?.sent ?? 0, nextUs: dueUs })),
    /** Market time runs at its speed to `at` and as in life from there on; null: at its speed for good. */
    runTo: (at: TsUs | null) => brokerage.runTo(at),
    marketNowUs: () => market.nowUs(),
    /** Exact figures, to the VND. */
    account() {
      const figures = brokerage.account(id);
      assert(figures !== undefined, 'the venue knows the account it was opened with');
      return figures;
    },
    positions: () => brokerage.positions(id),
    orders: () => brokerage.orders(id),
    triggers: () => brokerage.read((venue) => venue.triggers(id)),
    /** All events of exchange and back office, including those that the broker's contract does not report. */
    onEvent: (listener: (event: VenueEvent) => void) => brokerage.onEvent(listener),
    /** Stops listening and commits; answered calls are kept. */
    close,
  };
}

/** Addresses and credentials: the one line that the program prints. The account is the first one of the options. */
export type SimulatorDescription = Readonly<ReturnType<typeof describeSimulator>>;

export const describeSimulator = (running: RunningSimulator) => ({
  rest: running.rest,
  stream: running.stream,
  control: running.control,
  /** Calls of the control API carry it as their bearer token. */
  controlToken: running.controlToken,
  apiKey: running.apiKey,
  otp: running.otp,
  custodyCode: running.custodyCode,
  accountId: running.accountId,
  subAccountId: running.subAccountId,
  frontMonth: running.frontMonth,
  contracts: running.contracts,
});
