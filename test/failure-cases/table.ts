/** Failures that made other trading systems lose money or sleep, and the tests which prove that they cannot happen here. */
interface Proof {
  /** Below `test`. */
  readonly file: string;
  /** As it is in the file; of a name with parameters, its fixed part. */
  readonly test: string;
}

export interface FailureCase {
  readonly number: number;
  readonly symptom: string;
  readonly proofs: readonly Proof[];
  /** Parts that no test proves yet. */
  readonly open?: string;
}

const proof = (file: string, test: string): Proof => ({ file: `${file}.test.ts`, test });
const matrix = proof('failure-cases/restart-matrix', '$position, $order, $end');
const calls = (test: string): Proof => proof('failure-cases/calls', test);
const account = (test: string): Proof => proof('failure-cases/account', test);
const protection = (test: string): Proof => proof('failure-cases/protection', test);
const refusals = (test: string): Proof => proof('failure-cases/refusals', test);
const reload = (test: string): Proof => proof('failure-cases/reload', test);
const silence = (test: string): Proof => proof('failure-cases/silence', test);
const journal = (test: string): Proof => proof('failure-cases/journal', test);
const clock = (test: string): Proof => proof('failure-cases/clock', test);
const stream = (test: string): Proof => proof('failure-cases/stream', test);

export const FAILURE_CASES: readonly FailureCase[] = [
  {
    number: 1,
    symptom: 'The answer to an accepted order is lost, and the order is placed again.',
    proofs: [
      calls('case 1: the order is found in the book and lives once'),
      proof('e2e/lost-answer', 'an accepted order whose answer is lost is found in the book, once'),
    ],
  },
  {
    number: 2,
    symptom: 'A time-out counts as a failure; doubles for days.',
    proofs: [calls('case 2: an answer that comes after the time limit is no failure')],
  },
  {
    number: 3,
    symptom: 'Orders that were given up fill later.',
    proofs: [
      calls('case 3: a fill of an order that was given up reaches position, strategy and risk'),
      proof('engine/order-outcomes', '3: fills after its cancel was confirmed: the fill is real'),
    ],
  },
  {
    number: 4,
    symptom: 'Stop does not see an order that the program forgot.',
    proofs: [
      account('case 4: a stop takes an order whose answer was lost and which the book hides at first'),
      account('case 4: cancel-all takes what the book shows, also an order that the daemon never placed'),
      proof(
        'e2e/halt',
        'case 4: an order without any answer is canceled from the book, and the halt waits for it',
      ),
      proof(
        'broker/gateway/kill-all',
        'cancels what the broker shows, ours or not, and proves that nothing is left',
      ),
    ],
  },
  {
    number: 5,
    symptom: 'A number of tries resolves an order as rejected that may live.',
    proofs: [
      calls('case 5: no number of tries ends an order without proof'),
      proof('engine/order-outcomes', '5: is not given up by the number of tries'),
    ],
  },
  {
    number: 6,
    symptom: 'An order that filled at once is missing among the open ones and counts as rejected.',
    proofs: [calls('case 6: an order that filled at once is found among all orders')],
  },
  {
    number: 7,
    symptom: 'A cancel in flight counts as done, and orders pile up.',
    proofs: [calls('case 7: the order of a cancel that %s counts as live until the book proves it')],
  },
  {
    number: 8,
    symptom: 'The database is locked after the order was placed: the trade is lost.',
    proofs: [
      journal('and a kill lose neither: the next start knows the order as its own'),
      journal('ends entries, lets cancels go, and gets every row once it is free'),
      proof('journal/instance-lock', 'keeps a second process out'),
      proof('journal/journal-store', 'holds everything that was flushed when the process is killed'),
      proof('broker/gateway/rest-gateway', 'is durable before it is sent'),
    ],
  },
  {
    number: 9,
    symptom: 'A restart with a resting entry believes in a position.',
    proofs: [
      matrix,
      proof('engine/positions/position-reconciler', '9: a resting entry order is no position'),
    ],
  },
  {
    number: 10,
    symptom: 'A new order is not in the list yet: a loop, or a crash.',
    proofs: [calls('case 10: a book that shows a new order late gets no second one')],
  },
  {
    number: 11,
    symptom: 'A filled order is called canceled, and placed again.',
    proofs: [calls('case 11: matched volume wins over letters that say canceled')],
  },
  {
    number: 12,
    symptom: 'A queued retry ignores what has filled meanwhile.',
    proofs: [
      protection('case 12: sends what is left when the exit that it cancels fills meanwhile'),
      proof('engine/order-cancel-modify', 'that races a fill ends with both'),
      proof('engine/session/flatten-property', 'everybody ends flat, and no exit turns a position'),
    ],
  },
  {
    number: 13,
    symptom: 'A stop keeps its quantity after a partial fill.',
    proofs: [
      protection('case 13: has the quantity of the position after each partial fill, and never more'),
      proof(
        'engine/session/protective-stops',
        'protection never exceeds what is held, and equals it when quiet',
      ),
    ],
  },
  {
    number: 14,
    symptom: 'Each look at a slow broker places one more stop.',
    proofs: [
      protection('case 14: of a broker that loses answers and shows it late is placed once'),
      proof(
        'engine/session/protective-stops',
        'that does not answer gets one stop, however often the books are read',
      ),
    ],
  },
  {
    number: 15,
    symptom: 'A restart takes the wrong sign, drops orders or doubles them.',
    proofs: [
      matrix,
      proof('e2e/kill-states', 'an order that rests and a stop that waits moves nothing'),
      proof('e2e/kill', 'kills at random moments lose and double nothing'),
      proof('property/engine-restart', 'no order twice, no order lost, positions equal'),
    ],
  },
  {
    number: 16,
    symptom: 'A wrong position is logged and traded on.',
    proofs: [account('case 16: a position that nothing explains blocks entries until a person resumes')],
  },
  {
    number: 17,
    symptom: 'A fill is booked twice after a restart.',
    proofs: [matrix, proof('engine/fills', '17: read twice counts once')],
  },
  {
    number: 18,
    symptom: 'Repeated messages double what was filled.',
    proofs: [
      account('case 18: frames that come twice, late or not at all leave the position as it is'),
      proof('property/engine-orders', 'any order of the same walks, doubled at will'),
    ],
  },
  {
    number: 19,
    symptom: 'A lost message leads to endless closing.',
    proofs: [account('case 19: a fill that no frame showed is found by the read of the book')],
  },
  {
    number: 20,
    symptom: 'Heartbeats go on and no data comes for hours.',
    proofs: [
      silence('case 20: and brings no prices is alerted, and entries wait until they come'),
      proof('broker/stream/feed-watch', 'is subscribed once more, and then reported once'),
      proof('engine/engine-events', '20: the age of what is known of a contract grows with time'),
    ],
  },
  {
    number: 21,
    symptom: 'After a close the program never comes back.',
    proofs: [
      stream('case 21: closed by %i it comes back subscribed'),
      proof('broker/stream/reconnect', 'by 1002 it tries once and then stops: the fault is ours'),
    ],
  },
  {
    number: 22,
    symptom: 'A half-open connection ends in no event.',
    proofs: [
      silence('case 22: at our end alone is torn down, and comes back subscribed'),
      proof('broker/stream/stream-client', 'that is half-open is torn down when our close is not answered'),
    ],
  },
  {
    number: 23,
    symptom: 'The book of before a disconnect shows ghost prices.',
    proofs: [
      stream(
        'case 23: of a new connection shows no level of the book before, and entries wait for both sides',
      ),
      proof('engine/market/merged-book', 'does not merge over a disconnect'),
    ],
  },
  {
    number: 24,
    symptom: 'Trades are missing, and bars are wrong without a word.',
    proofs: [
      stream('case 24: a trade that is missing in the chain of volumes is a gap, and reported as one'),
    ],
  },
  {
    number: 25,
    symptom: 'Signals come from old bars.',
    proofs: [
      stream(
        'case 25: a decision on prices that have grown old is denied, and each bar comes once, with its last trade',
      ),
      proof('engine/risk/risk-guard', 'every rule has a row, and the rows are in the order of the rules'),
      proof('strategy/bar-builder', 'no trade is lost, doubled or put into the wrong bar'),
    ],
  },
  {
    number: 26,
    symptom: 'After a standby several bars fire at once.',
    proofs: [
      silence('case 26: is alerted, and what came meanwhile is decided once'),
      proof('host/system-clock', 'moves the time of the process by its length'),
      proof('daemon/clock-watch', 'a standby is reported'),
      proof('strategy/bar-streams', 'after a standby at most one bar comes out, and it says that it is late'),
    ],
  },
  {
    number: 27,
    symptom: 'A busy market starves timers.',
    proofs: [
      proof(
        'e2e/flood',
        '27: a flood and a strategy that burns the processor delay neither heartbeats nor cancels',
      ),
      proof('e2e/watchdog', 'a strategy that hangs is left out, the others go on'),
      proof('simulator/load', 'misses no heartbeat and answers meanwhile'),
    ],
  },
  {
    number: 28,
    symptom: 'Clock changes and midnight stop the jobs.',
    proofs: [
      clock('case 28: on a machine in %s orders flow before and after %s'),
      proof(
        'simulate/host-zones',
        "case 28: on a machine in %s the session of %s has every job once, at the exchange's time, and its orders",
      ),
      proof(
        'simulate/host-zones',
        'case 28: a clock that is a day ahead for a minute costs no job and no order',
      ),
      proof('daemon/schedule', 'does late what a standby slept through, once, and not on another day'),
      proof('daemon/schedule', 'on a machine in %s'),
    ],
  },
  {
    number: 29,
    symptom: 'A clock that is off has requests refused.',
    proofs: [
      refusals('case 29: entries wait while the clock of the broker is far from ours'),
      proof(
        'broker/rest/clock-skew',
        'is posted when it changes, and every ten minutes, not with every answer',
      ),
      proof('host/system-clock', 'is followed slowly, and never back'),
    ],
  },
  {
    number: 30,
    symptom: 'The token ends, and the program goes on with the dead one.',
    proofs: [
      refusals('case 30: a dead token at once, which is alerted, connects nothing more and moves no order'),
      proof('broker/auth/token-keeper', 'that is too short for the session is said early'),
      proof(
        'contract/broker/client-stream',
        'that are not valid are terminal: nothing is dialled until there is another',
      ),
    ],
  },
  {
    number: 31,
    symptom: 'The kill switch fails, and orders go on.',
    proofs: [
      account('case 31: after a halt no order leaves, also not after a kill and a restart'),
      proof(
        'e2e/halt',
        'case 31: no order follows a halt, though reads and cancels fail and the daemon is killed',
      ),
      proof(
        'daemon/session/halt',
        'holds when the journal fails, and a resume that cannot be kept changes nothing',
      ),
    ],
  },
  {
    number: 32,
    symptom: 'Hundreds of thousands of rejected orders.',
    proofs: [
      refusals('case 32: the same order three times, and is not asked again within the minute'),
      proof('engine/risk/particular-readings', 'the same refusal is probed once a minute'),
    ],
  },
  {
    number: 33,
    symptom: 'Memory leaks with every order and reconnect.',
    proofs: [proof('simulate/soak', "lets yesterday's engine and session go")],
    open: 'two hundred reconnects and ten thousand orders of a month are lived through by `npm run soak` alone',
  },
  {
    number: 34,
    symptom: 'The journal grows without end; a full disk.',
    proofs: [
      journal('case 34: a reader that keeps the log from being folded in is reported, and stops nothing'),
      proof(
        'e2e/full-disk',
        'a full disk stops entries, names the broker that ended, and the next start goes on',
      ),
      proof(
        'journal/journal-store',
        'keeps the rows of a commit that failed, reports it once and tries again by itself',
      ),
    ],
  },
  {
    number: 35,
    symptom: 'The broker or another channel trades in the account, and it is ignored or fought.',
    proofs: [
      account('case 35: an order of another channel is adopted, alerted, and not fought'),
      proof('engine/positions/position-reconciler', '35: a close by the broker is alerted as one'),
    ],
  },
  {
    number: 36,
    symptom: 'An expired contract is subscribed, or entered.',
    proofs: [
      stream('case 36: a position in the contract that expired is alerted, and settled as the broker does'),
      stream('case 36: after a roll the old contract is silent, and no entry goes into it'),
      proof(
        'engine/session/rollover',
        'a list of the morning is asked for, and a new front month is taken from it',
      ),
    ],
  },
  {
    number: 37,
    symptom: 'Killed before it has cleaned up; two copies after a restart.',
    proofs: [
      proof('e2e/first-session', 'a session, its summary, a read of the journal, and the same account again'),
      proof(
        'e2e/overlap',
        'case 37: next to a copy that hangs no second one trades, and its kill before it cleaned up loses nothing',
      ),
      proof(
        'e2e/pm2',
        'pm2 starts the daemon, brings it back after a crash, and leaves it stopped where a person stops it',
      ),
      proof('journal/instance-lock', 'keeps a second process out'),
      proof(
        'daemon/program/run-daemon',
        'has one daemon with real money an account, whatever its state directory',
      ),
    ],
  },
  {
    number: 38,
    symptom: 'A backtest fills where the market could not.',
    proofs: [
      proof('parity/parity', 'drawn days'),
      proof('parity/real-days', 'recorded days'),
      proof('e2e/first-session', 'a session, its summary, a read of the journal, and the same account again'),
    ],
  },
  {
    number: 39,
    symptom: 'A reload hangs or forgets stops.',
    proofs: [reload('case 39: $state')],
  },
  {
    number: 40,
    symptom: 'Nightly maintenance ends the program.',
    proofs: [
      stream(
        'case 40: a maintenance that refuses every connection ends in the same orders and a live stream',
      ),
      proof(
        'contract/broker/client-stream',
        'by maintenance: ten attempts, 1, 2, 4, 8, 16, 30 ... s apart, then a pause',
      ),
    ],
  },
];
