import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSimulatorFile } from '../../../src/daemon/simulator/run-simulator.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});

function read(text: string) {
  const path = join(dir, 'simulator.yaml');
  writeFileSync(path, text);
  return readSimulatorFile(path);
}

/** `line path`. */
function problems(text: string): string[] {
  const found = read(text);
  return 'value' in found ? [] : found.problems.map(({ line, path }) => `${line} ${path}`);
}

const TWO = `
accounts:
  - custodyCode: 105C000001
    apiKey: key-of-one
    otp: '111111'
    name: One
    subAccounts:
      - { type: DERIVATIVE, cash: 1000000000 }
      - type: NORMAL
        cash: 50000000
        stocks: [{ symbol: FPT, quantity: 1000, averagePrice: 98000, marketPrice: 101000 }]
        stockOrders: [{ orderId: S1, symbol: FPT, side: sell, quantity: 400, price: 102000 }]
      - type: MARGIN
        accountNo: '0002999999'
        active: false
        loanPackages: [{ id: 1, name: Basic, code: B1, subscriptionFee: 100000 }]
        tPlusPackages: [{ id: 2, name: T5, firstRate: 0.11 }]
  - custodyCode: 105C000002
    apiKey: key-of-two
    cash: { derivative: 500000000 }
auth: { appOtp: rotating, appOtpLife: 30s, exchangesPerDayMax: 10 }
`;

describe('a simulator file', () => {
  it('names several customers with sub-accounts of each type', () => {
    const found = read(TWO);
    if (!('value' in found)) throw new Error(JSON.stringify(found.problems));
    const [one, two] = found.value.file.accounts;
    expect(
      one?.subAccounts.map((row) => [row.accountNo, row.type, row.cash, row.isActive, row.isDefault]),
    ).toEqual([
      ['105C000001A', 'DERIVATIVE', 1_000_000_000, true, false],
      ['0001000001', 'NORMAL', 50_000_000, true, true],
      ['0002999999', 'MARGIN', 0, false, false],
    ]);
    expect(one?.subAccounts[2]?.packages).toEqual({
      packages: [{ id: 1, name: 'Basic', code: 'B1', subscriptionFee: 100_000, status: 'ACTIVE' }],
      tiered: [{ id: 2, name: 'T5', firstRate: 0.11, status: 'ACTIVE' }],
    });
    expect(two?.subAccounts.map(({ type, cash }) => [type, cash])).toEqual([
      ['NORMAL', 0],
      ['MARGIN', 0],
      ['DERIVATIVE', 500_000_000],
    ]);
  });

  it.each([
    ['a key nobody knows', 'prot: 1', ['1 prot']],
    ['a reading nobody knows', 'port: 1\nreadings:\n  arbitrage: later', ['3 readings.arbitrage']],
    [
      'a custody code that is too short',
      'accounts:\n  - custodyCode: 105C\n    apiKey: k',
      ['2 accounts[0].custodyCode'],
    ],
  ])('with %s is refused, with the line', (_what, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it.each([
    ['a custody code twice', ['105C000002', '105C000001'], 'accounts[1].custodyCode'],
    ['an API key twice', ['key-of-two', 'key-of-one'], 'accounts[1].apiKey'],
    ['two derivative accounts', ['type: MARGIN', 'type: DERIVATIVE'], 'accounts[0].subAccounts[2]'],
    ['a number twice', ["'0002999999'", "'0001000001'"], 'accounts[0].subAccounts[2].accountNo'],
    [
      'more shares to sell than it holds',
      ['quantity: 400', 'quantity: 1001'],
      'accounts[0].subAccounts[1].stockOrders',
    ],
    [
      'more to buy than it has cash for',
      ['side: sell, quantity: 400', 'side: buy, quantity: 500'],
      'accounts[0].subAccounts[1].stockOrders',
    ],
    [
      'shares in a derivative account',
      ['type: NORMAL', 'type: DERIVATIVE'],
      'accounts[0].subAccounts[1].stocks',
    ],
    [
      'packages outside a margin account',
      ['type: MARGIN', 'type: NORMAL'],
      'accounts[0].subAccounts[2].loanPackages',
    ],
  ] as const)('with %s contradicts itself', (_what, [from, to], path) => {
    const paths = problems(TWO.replace(from, to)).map((text) => text.replace(/^\d+ /, ''));
    expect(paths).toContain(path);
  });

  it('has at most one default account of a customer', () => {
    const first = TWO.replace('cash: 50000000', 'cash: 50000000\n        default: true');
    expect(problems(first)).toEqual([]);
    expect(problems(first.replace('active: false', 'default: true'))).toEqual([
      '14 accounts[0].subAccounts[2]',
    ]);
  });

  it('may say cash or sub-accounts of a customer, not both', () => {
    const both = TWO.replace('    name: One\n', '    name: One\n    cash: { normal: 1 }\n');
    expect(problems(both)).toEqual(['7 accounts[0].cash']);
  });
});
