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
 * with which all of them are warm. Each subscription makes its own.
 */
export const indicate =
  <T, Input, Made extends Indicators<Input>>(
    made: Made,
    inputOf: (item: T) => Input,
  ): OperatorFunction<T, Indicated<T, Made>> =>
  (source) =>
    defer(() => {
      const indicators = Object.entries(made).map(([name, make]) => [name, make()] as const);
      const after = (item: T): Indicated<T, Made> | null => {
        const input = inputOf(item);
        let isWarm = true;
        for (const [, indicator] of indicators) {
          indicator.add(input);
          isWarm &&= indicator.isStable;
        }
        if (!isWarm) return null;
        const values = Object.fromEntries(
          indicators.map(([name, indicator]) => [name, indicator.getResult()]),
        );
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each name of `made`
        return { item, ...values } as Indicated<T, Made>;
      };
      return source.pipe(
        map(after),
        filter((indicated) => indicated !== null),
      );
    });
