/** Values of orders and money on the command line: each is read whole or refused with what was expected and what it was. */
import { InvalidArgumentError } from 'commander';
import type { ManualTrader } from '../../app/manual/manual-trader.ts';
import { type ContractSpec, parsePoints } from '../../domain/contract.ts';
import { type OrderCode, orderCode } from '../../domain/ids.ts';
import { type Money, money, type PriceTicks, type Qty, qty } from '../../domain/units.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

const refuse = (expected: string, text: string): never => {
  throw new InvalidArgumentError(`expected ${expected}, was ${JSON.stringify(text)}`);
};

const WHOLE = /^[1-9]\d{0,14}$/;
const POINTS = /^\d{1,7}(\.\d{1,3})?$/;

export const quantity = (text: string): Qty =>
  WHOLE.test(text) ? qty(Number(text)) : refuse('a whole number of contracts above 0', text);

export const amountOf = (text: string): Money =>
  WHOLE.test(text) ? money(Number(text)) : refuse('whole VND above 0, digits alone', text);

export const pointsNumber = (text: string): number =>
  POINTS.test(text) && Number(text) > 0 ? Number(text) : refuse('points above 0 like 1305.2', text);

export const idText = (text: string): string =>
  /^\S+$/.test(text) ? text : refuse('an id without blanks', text);

export interface Contract {
  readonly code: OrderCode;
  readonly spec: ContractSpec;
}

export function contractOf(desk: ManualTrader, code: string): Contract {
  const spec = desk.specOf(code);
  if (spec === undefined) {
    const hint = 'tickwright broker derivatives lists them';
    throw new CliFailure(EXIT.usage, `expected a contract that is traded here, was ${code} (${hint})`);
  }
  return { code: orderCode(code), spec };
}

export function ticksOf({ spec }: Contract, points: number, what: string): PriceTicks {
  const price = parsePoints(spec, points, what);
  if (price.ok) return price.value;
  throw new CliFailure(EXIT.usage, `${what}: expected ${price.issues[0].expected}, was ${points}`);
}
