/** Operators in the words of traders. None of them needs a clock. */
import { assert } from '../domain/assert.ts';
import { defer, filter, map, type OperatorFunction, pipe, scan } from 'rxjs';

/** As those of `trading-signals` are. */
interface Indicator<Input> {
  /** It has seen as many values as it needs. */
  readonly isStable: boolean;
  /** So many, where it knows: before them it is not asked, which some answer by a throw. */
  getRequiredInputs?(): number;
  add(input: Input): unknown;
  getResult(): unknown;
}

type Indicators<Input> = Readonly<Record<string, () => Indicator<Input>>>;

/** The item of the stream, and each indicator after it. */
export type Indicated<T, Made extends Indicators<never>> = { readonly item: T } & {
  readonly [Name in keyof Made]: NonNullable<ReturnType<ReturnType<Made[Name]>['getResult']>>;
};

/**
 * Indicators over a stream: `bars.pipe(indicate({ fast: () => new EMA(9) }, (bar) => bar.close))` brings `{ item, fast }`, from the item on
 * with which all of them are warm. Each subscription makes its own, and makes them again at an item that `isNew`: their memory is useless
 * for a new contract, or for the time after a standby.
 */
export const indicate =
  <T, Input, Made extends Indicators<Input>>(
    made: Made,
    inputOf: (item: T) => Input,
    isNew: (item: T, before: T) => boolean = () => false,
  ): OperatorFunction<T, Indicated<T, Made>> =>
  (source) =>
    defer(() => {
      let indicators = createAll(made);
      let seen = 0;
      let before: T | undefined;
      const isWarm = ([, indicator]: readonly [string, Indicator<Input>]): boolean =>
        seen < (indicator.getRequiredInputs?.() ?? 0) ? false : indicator.isStable;
      const after = (item: T): Indicated<T, Made> | null => {
        if (before !== undefined && isNew(item, before)) {
          indicators = createAll(made);
          seen = 0;
        }
        before = item;
        seen += 1;
        const input = inputOf(item);
        for (const [, indicator] of indicators) indicator.add(input);
        if (!indicators.every(isWarm)) return null;
        const values = indicators.map(([name, indicator]) => [name, indicator.getResult()] as const);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each name of `made`
        return { item, ...Object.fromEntries(values) } as Indicated<T, Made>;
      };
      return source.pipe(
        map(after),
        filter((indicated) => indicated !== null),
      );
    });

const createAll = <Input>(made: Indicators<Input>): readonly (readonly [string, Indicator<Input>])[] =>
  Object.entries(made).map(([name, create]) => [name, create()]);

/** Each item with the `count` before it, oldest first, from the item on that has that many: `bars.pipe(lookBack(20))`. */
export const lookBack = <T>(
  count: number,
): OperatorFunction<T, { readonly item: T; readonly before: readonly T[] }> => {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new Error(`lookBack: expected a whole number of items, was ${count}`);
  return pipe(
    scan((last: readonly T[], item: T) => [...last, item].slice(-count - 1), []),
    filter((last) => last.length > count),
    map((last) => {
      const item = last.at(-1);
      assert(item !== undefined, 'the last items end with this one');
      return { item, before: last.slice(0, -1) };
    }),
  );
};
