import { defer, filter, map, type OperatorFunction } from 'rxjs';

/** As those of `trading-signals` are. */
interface Indicator<Input> {
  /** It has seen as many values as it needs. */
  readonly isStable: boolean;
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
 * with which all of them are warm. Each subscription makes its own, and makes them again at an item that `isNew`: what they remember says
 * nothing of a new contract, or of the time after a standby.
 */
export const indicate =
  <T, Input, Made extends Indicators<Input>>(
    made: Made,
    inputOf: (item: T) => Input,
    isNew: (item: T, before: T) => boolean = () => false,
  ): OperatorFunction<T, Indicated<T, Made>> =>
  (source) =>
    defer(() => {
      const make = () => Object.entries(made).map(([name, create]) => [name, create()] as const);
      let indicators = make();
      let before: T | undefined;
      const after = (item: T): Indicated<T, Made> | null => {
        if (before !== undefined && isNew(item, before)) indicators = make();
        before = item;
        const input = inputOf(item);
        for (const [, indicator] of indicators) indicator.add(input);
        if (!indicators.every(([, { isStable }]) => isStable)) return null;
        const values = indicators.map(([name, indicator]) => [name, indicator.getResult()] as const);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each name of `made`
        return { item, ...Object.fromEntries(values) } as Indicated<T, Made>;
      };
      return source.pipe(
        map(after),
        filter((indicated) => indicated !== null),
      );
    });
