/**
 * Every answer of the simulator, field by field: names, JSON types, nothing missing and nothing that neither the contract
 * nor the field notes know. Written from those two texts, not from the codecs.
 */
import { describe, expect, it } from 'vitest';
import { started } from '../../simulator/support/started.ts';
import {
  firstOf,
  FrameTap,
  type Json,
  orderNoOf,
  type Reply,
  rowsOf,
} from '../../simulator/support/stranger.ts';

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'string|null' | 'any';
type Shape = Readonly<Record<string, JsonType>>;

const all = (type: JsonType, names: string): Shape =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type]),
  );

const ENVELOPE: Shape = { ...all('string', 'cmd rc rs oID'), data: 'array' };

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** All that is wrong with an object: `name: what`. */
function deviations(value: unknown, required: Shape, known: Shape = {}): string[] {
  if (typeOf(value) !== 'object') return [`an object: ${typeOf(value)}`];
  const given = value as Json;
  const fits = (type: JsonType, name: string): boolean =>
    type === 'any' || type.split('|').includes(typeOf(given[name]));
  return [
    ...Object.entries(required).filter(([name, type]) => !fits(type, name)),
    ...Object.entries(known).filter(([name, type]) => name in given && !fits(type, name)),
    ...Object.keys(given)
      .filter((name) => !(name in required || name in known))
      .map((name) => [name, 'unknown'] as const),
  ].map(([name, type]) => `${name}: ${type}, was ${typeOf(given[name])}`);
}

const ORDER_ECHO: Shape = all(
  'string',
  `symbol status msg_type showPrice orderTime type accountCode orderNo matchVolume side volume pk_orderNo
   channel refID group quote cancelTime`,
);
const IN_DAY: Shape = {
  ...all('string', 'orderNo pk_orderNo side symbol showPrice status isCancel isAmend'),
  ...all('number', 'volume matchVolume'),
};
const IN_DAY_NOTES: Shape = {
  ...all(
    'string',
    `refId orderTime accountCode matchPriceBQ orderStatus channel group cancelTime info maxPrice matchValue quote
     autoType product orderType source`,
  ),
};
const POSITION: Shape = {
  ...all('string', 'symbol im side duedate pc_remain'),
  ...all('number', 'deliver receive net lastPrice imValue vmValue mrValue'),
};
const POSITION_NOTES: Shape = all(
  'any',
  'account wasp wapb netoffvol avg_remain vm_remain stoploss takeprofit',
);
const STATUS: Shape = all(
  'any',
  `cash stock collateral type net tyle im vm dm mr avaiCash avaiColla vmunpay info color vm_eod others tax feeCTCK
   feeHNX cashWithdraw tienbosung cashavaiwithdraw assets nav cashOut unrelizeVM feePos feeMan product status debt w1
   w2 limit package`,
);
const CONTRACT: Shape = {
  ...all('string', 'symbol expiryDate'),
  ...all(
    'number',
    `ceilPrice floorPrice refPrice bidPrice01 bidQtty01 offerPrice01 offerQtty01 matchPrice matchQtty change
     changePercent totalVol openVol`,
  ),
};
const CONTRACT_NOTES: Shape = all(
  'number',
  `bidPrice02 bidQtty02 bidPrice03 bidQtty03 offerPrice02 offerQtty02 offerPrice03 offerQtty03 open high low avg
   buyForeignQtty sellForeignQtty`,
);

/** Alice is short two, has orders on both sides; both sides of the book stand. */
async function traded() {
  const all = await started();
  const { alice, bob, front } = all;
  await bob.place({ side: 'B', symbol: front, price: 1299, volume: 9, refId: 'H.1' });
  await bob.place({ side: 'S', symbol: front, price: 1301, volume: 9, refId: 'H.2' });
  const placed = await alice.place({ side: 'S', symbol: front, price: 1299, volume: 2, refId: 'H.1' });
  return { ...all, placed };
}

const envelopeOf = (reply: Reply): string[] => deviations(reply.json, ENVELOPE);

describe('the answers of the trading operations', () => {
  it('place, change and cancel', async () => {
    const { alice, front, placed } = await traded();
    const resting = await alice.place({ side: 'B', symbol: front, price: 1290, volume: 2, refId: 'H.2' });
    const changed = await alice.change(orderNoOf(resting), 1290.1, 2, 'H.3');
    const canceled = await alice.cancel(orderNoOf(resting));
    for (const reply of [placed, resting, changed, canceled]) expect(envelopeOf(reply)).toEqual([]);
    const { cancelTime, ...withoutCancel } = ORDER_ECHO;
    expect(deviations(firstOf(resting), withoutCancel)).toEqual([]);
    expect(firstOf(resting)).toMatchObject({
      msg_type: '1I',
      type: 'I',
      channel: 'I',
      group: 'FU',
      status: 'P',
      refID: 'H.2',
      volume: '2',
      accountCode: 'ALICE1A',
    });
    expect(firstOf(resting)['orderTime']).toBe('10:00:00');
    expect(firstOf(resting)['pk_orderNo']).toMatch(/^\d{7}$/);
    expect(
      deviations(firstOf(changed), all('string', 'orderNo status showPrice volume pk_orderNo'), ORDER_ECHO),
    ).toEqual([]);
    expect(firstOf(changed)).toMatchObject({ msg_type: '1P' });
    expect(
      deviations(firstOf(canceled), all('string', 'orderNo status pk_orderNo cancelTime'), ORDER_ECHO),
    ).toEqual([]);
    expect(firstOf(canceled)).toMatchObject({ msg_type: '1C' });
    expect(cancelTime).toBe('string');
  });

  it('a refusal carries the same envelope', async () => {
    const { alice, front } = await traded();
    const refused = await alice.place({ side: 'B', symbol: front, price: 5, volume: 2, refId: 'H.2' });
    expect(envelopeOf(refused)).toEqual([]);
    expect(refused.json).toMatchObject({ cmd: 'Web.newOrder', data: [] });
  });

  it('in-day book', async () => {
    const { alice, front } = await traded();
    await alice.place({ side: 'B', symbol: front, price: 1290, volume: 2, refId: 'H.2' });
    const reply = await alice.inDay();
    expect(envelopeOf(reply)).toEqual([]);
    expect(rowsOf(reply)).toHaveLength(2);
    for (const row of rowsOf(reply))
      expect(deviations(row, { ...IN_DAY, refId: 'string', quote: 'string' }, IN_DAY_NOTES)).toEqual([]);
    expect(rowsOf(reply)[0]).toMatchObject({ orderType: 'N', source: 'USER', accountCode: 'ALICE1A' });
  });

  it('open positions', async () => {
    const { alice, front } = await traded();
    const reply = await alice.positions();
    expect(envelopeOf(reply)).toEqual([]);
    expect(reply.json['cmd']).toBe('Web.Portfolio.PortfolioStatus2');
    const row = firstOf(reply);
    expect(deviations(row, POSITION, POSITION_NOTES)).toEqual([]);
    expect(row).toMatchObject({ symbol: front, net: -2, imValue: 1299 * 100_000 * 0.17 * 2 });
    expect(row['duedate']).toMatch(/^\d\d\/\d\d\/\d{4}$/);
  });

  it('account status, with its identities', async () => {
    const { alice } = await traded();
    const reply = await alice.status();
    expect(deviations(reply.json, { ...ENVELOPE, data: 'object' })).toEqual([]);
    expect(reply.json).toMatchObject({ cmd: 'Web.Portfolio.AccountStatus', rc: '1' });
    const data = reply.json['data'] as Json;
    expect(deviations(data, STATUS)).toEqual([]);
    const of = (name: string): number => Number(data[name]);
    expect(of('mr')).toBe(of('im') + Math.max(0, -of('vm')) + of('dm') + of('others'));
    expect(of('nav')).toBe(of('cash') + of('vm') - of('others') - of('feeMan'));
    expect(of('assets')).toBe(of('nav'));
    expect(of('others')).toBe(2 * 5_250 + Math.round((1299 * 100_000 * 2 * 0.001 * 0.17) / 2));
    expect(data['type']).toBe('CA_NHAN');
  });

  it('account status of money alone', async () => {
    const { alice } = await traded();
    const { custodyCode, subAccountId } = alice.account;
    const query = { accountId: custodyCode, subAccountId, getType: '1' };
    expect((await alice.get('/khronos/v1/account/status', query)).json['rc']).toBe('1');
  });
});

describe('the answers of the other operations', () => {
  it('profile', async () => {
    const { alice } = await started();
    const path = `/eros/v2/get-profile/by-username/${alice.account.custodyCode}`;
    const { json } = await alice.get(path, { fields: 'basicInfo,bankSubAccounts' });
    expect(deviations(json, { basicInfo: 'object', bankSubAccounts: 'array' })).toEqual([]);
    expect(
      deviations(json['basicInfo'], {
        ...all('string', 'tcbsId code105C status type'),
        depository: 'boolean',
      }),
    ).toEqual([]);
    expect(json['basicInfo']).toMatchObject({
      code105C: alice.account.custodyCode,
      status: 'ACTIVE',
      type: 'INDIVIDUAL',
    });
    const accounts = json['bankSubAccounts'] as Json[];
    const shape: Shape = {
      ...all('string', 'accountNo accountName accountType accountTypeName status isDefault'),
      bankCode: 'string|null',
    };
    for (const account of accounts) expect(deviations(account, shape)).toEqual([]);
    expect(accounts.map(({ accountType, status }) => [accountType, status])).toEqual([
      ['NORMAL', '1'],
      ['MARGIN', '1'],
      ['DERIVATIVE', '1'],
    ]);
    expect(accounts.at(-1)).toMatchObject({ accountNo: alice.account.subAccountId, accountName: 'Alice' });
    expect(Object.keys((await alice.get(path, { fields: 'basicInfo' })).json)).toEqual(['basicInfo']);
  });

  it('derivatives', async () => {
    const { alice, simulator } = await traded();
    const { json } = await alice.get('/tartarus/v1/derivatives');
    expect(deviations(json, { data: 'array' })).toEqual([]);
    const rows = json['data'] as Json[];
    expect(rows.map((row) => row['symbol'])).toEqual(simulator.contracts);
    expect(deviations(rows[0], CONTRACT, CONTRACT_NOTES)).toEqual([]);
    // The reference of a new contract is theoretical: two decimals, off the grid of the ticks.
    const reference = Number(rows[0]?.['refPrice']);
    expect(rows[0]).toMatchObject({
      ceilPrice: Math.floor(reference * 1.07 * 10) / 10,
      floorPrice: Math.ceil(reference * 0.93 * 10) / 10,
      bidPrice01: 1299,
      bidQtty01: 7,
      offerPrice01: 1301,
      offerQtty01: 9,
      matchPrice: 1299,
      matchQtty: 2,
      change: Number((1299 - reference).toFixed(2)),
      totalVol: 2,
      expiryDate: '19/03/2026',
    });
  });

  it('contracts', async () => {
    const { alice, simulator } = await started();
    const { json } = await alice.get('/api/v1/derivatives/contracts');
    expect(deviations(json, { data: 'array' })).toEqual([]);
    const rows = json['data'] as Json[];
    for (const row of rows)
      expect(deviations(row, { symbol: 'string', expiryDate: 'string', frontMonth: 'any' })).toEqual([]);
    expect(rows.map((row) => row['symbol'])).toEqual(simulator.contracts);
    expect(rows).toHaveLength(4);
  });
});

describe('the frames of the stream', () => {
  it('trade, bid, offer and summary', async () => {
    const { alice, bob, front, simulator } = await traded();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|bp+bi+tm+mp+op+fe|${front}`);
    await bob.place({ side: 'S', symbol: front, price: 1299, volume: 1, refId: 'H.3' });
    await alice.place({ side: 'B', symbol: front, price: 1299.5, volume: 1, refId: 'H.2' });
    await alice.place({ side: 'B', symbol: front, price: 1301, volume: 1, refId: 'H.3' });
    await tap.settle();
    const levels = (side: string): Shape => ({
      symbol: 'string',
      ...all(
        'number',
        ['Price', 'Qtty'].flatMap((what) => ['01', '02', '03'].map((level) => side + what + level)).join(' '),
      ),
    });
    const { symbol, ...bids } = levels('bid');
    const { symbol: _symbol, ...offers } = levels('offer');
    const trade: Shape = {
      symbol: 'string',
      ...all('number', 'matchPrice matchQtty change changePercent totalVolume'),
    };
    const summary: Shape = { symbol: 'string', ...all('number', 'high low avg open') };
    expect(symbol).toBe('string');
    for (const [prefix, required, known] of [
      ['s|21|', trade, { totalValue: 'number' }],
      ['s|23|', { symbol: 'string' }, bids],
      ['s|24|', { symbol: 'string' }, offers],
      ['s|27|', summary, {}],
    ] as const) {
      const payloads = tap.payloads(prefix);
      expect(payloads.length, prefix).toBeGreaterThan(0);
      for (const payload of payloads) expect(deviations(payload, required, known), prefix).toEqual([]);
    }
  });
});
