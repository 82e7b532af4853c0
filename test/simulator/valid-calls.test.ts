/**
 * Whatever two customers ask for in any order, as long as they ask as the contract says: states are in
 * the table of the notes, margins are not negative, and no money comes or goes but fees and tax.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seconds, tsUs } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { callFlow, CallFlow, cashAccountsOf } from './support/call-flow.ts';
import { type Started, started, stop } from './support/started.ts';
import { type Json, type Reply, rowsOf } from './support/stranger.ts';

/** Status and quote of a normal order (notes, section 3). */
const LIFE = ['P G', 'P Y', 'PC G', 'PC Y', 'PW ', 'PWX ', 'PM ', 'PMW G', 'PMWX Y'];
/** The broker's own, and two of ours: no such account, no such order or contract. */
const REFUSALS =
  '-6001 -6003 -6004 -6012 -6014 -6015 -6019 -6021 -6022 -6024 -6026 -6032 -6033 -6034 -6035 -6038 -6048 -8004'.split(
    ' ',
  );
/** Of both customers: normal, margin and derivative account. */
const TOTAL = 2 * (1_000_000 + 2_000_000 + 1_000_000_000);
const OPENING = tsUs(Date.parse('2026-03-04T08:50:00+07:00') * 1_000);

function verdictFaults({ status, json, text }: Reply): string[] {
  const verdicts = [json['rc'], json['code']].filter((verdict) => verdict !== undefined);
  const isSaid = verdicts.every(
    (verdict) => typeof verdict === 'string' && ['1', '200', ...REFUSALS].includes(verdict),
  );
  return status === 200 && isSaid ? [] : [`${status} ${text}`];
}

function rowFaults(row: Json): string[] {
  const letters = `${String(row['status'])} ${String(row['quote'])}`;
  const [volume, matched] = [Number(row['volume']), Number(row['matchVolume'])];
  const isMatched = letters.startsWith('PM') || (letters.startsWith('PC') && matched > 0);
  const facts: Readonly<Record<string, boolean>> = {
    'status and quote are of the table': LIFE.includes(letters),
    'matched is between nothing and all': matched >= 0 && matched <= volume,
    'matched is said so': matched > 0 === isMatched,
    'over is not for change':
      !letters.includes('X') || `${String(row['isCancel'])}${String(row['isAmend'])}` === '00',
  };
  return Object.entries(facts).flatMap(([fact, holds]) => (holds ? [] : [`${fact}: ${JSON.stringify(row)}`]));
}

const NEVER_NEGATIVE = ['im', 'mr', 'dm', 'tyle', 'others', 'tax', 'avaiColla', 'cashWithdraw', 'tienbosung'];

interface Books {
  readonly faults: readonly string[];
  /** Of all six accounts. */
  readonly cash: number;
  readonly profit: number;
  /** Fees and tax that are still to be taken. */
  readonly uncollected: number;
}

async function booksOf({ alice, bob }: Started): Promise<Books> {
  const faults: string[] = [];
  let [cash, profit, uncollected] = [0, 0, 0];
  for (const who of [alice, bob]) {
    faults.push(...rowsOf(await who.inDay()).flatMap(rowFaults));
    for (const row of rowsOf(await who.conditions()))
      if (!['0', '1', '2', '3'].includes(String(row['status']))) faults.push(JSON.stringify(row));
    for (const row of rowsOf(await who.positions()))
      for (const name of ['imValue', 'mrValue']) if (Number(row[name]) < 0) faults.push(JSON.stringify(row));
    const data = (await who.status()).json['data'] as Json;
    for (const name of NEVER_NEGATIVE)
      if (!(Number(data[name]) >= 0)) faults.push(`${name} ${String(data[name])}`);
    cash += Number(data['cash']);
    profit += Number(data['vm']);
    uncollected += Number(data['others']);
    for (const accountNo of cashAccountsOf(who)) {
      const [row] = rowsOf(await who.cash(accountNo));
      if (!(Number(row?.['cashBalance']) >= 0)) faults.push(`cash of ${accountNo}: ${JSON.stringify(row)}`);
      cash += Number(row?.['cashBalance']);
    }
  }
  return { faults, cash, profit, uncollected };
}

it.each([
  ['hours of the exchange, from its opening auction', MARKET_CALENDAR],
  ['around the clock', DEFAULT_OPTIONS.calendar],
])(
  'lead to documented states, and keep the money: %s',
  async (_name, calendar) => {
    let traded = 0;
    await fc.assert(
      fc.asyncProperty(callFlow, fc.constantFrom(0, 30), async (steps, delayMs) => {
        const market = await started({
          calendar,
          time: { ...DEFAULT_OPTIONS.time, originMarketUs: OPENING },
          rules: { gatewayDelay: seconds(delayMs / 1_000) },
        });
        const faults: string[] = [];
        const flow = new CallFlow(market);
        for (const step of steps) {
          faults.push(...(await flow.run(step)).flatMap(verdictFaults));
          expect(faults).toEqual([]);
        }
        const day = await booksOf(market);
        expect(day.faults).toEqual([]);
        expect([day.cash, day.profit]).toEqual([TOTAL, 0]);
        traded += day.uncollected;

        // Over night profits are paid, and what the broker and the state had coming.
        market.time.advance(seconds(26 * 3_600));
        for (const who of [market.alice, market.bob]) await who.logIn();
        const morning = await booksOf(market);
        expect(morning.faults).toEqual([]);
        expect(morning.profit).toBe(0);
        expect(morning.cash).toBeLessThanOrEqual(TOTAL - day.uncollected);
        expect(faults).toEqual([]);
        await stop(market.simulator);
      }),
      { numRuns: 8 },
    );
    expect(traded).toBeGreaterThan(0);
  },
  60_000,
);
