import type { Operator, OperatorFunction } from 'rxjs';
// The class alone: all of RxJS takes longer to load than a year of bars to play.
import { Subscriber } from 'rxjs/internal/Subscriber';

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
  (source) => {
    const operator: Operator<T, Indicated<T, Made>> = {
      call: (end, from: typeof source) => from.subscribe(new Warmed<T, Input, Made>(end, made, inputOf)),
    };
    return source.lift(operator);
  };

class Warmed<T, Input, Made extends Indicators<Input>> extends Subscriber<T> {
  readonly #end: Subscriber<Indicated<T, Made>>;
  readonly #indicators: readonly (readonly [name: string, indicator: Indicator<Input>])[];
  readonly #inputOf: (item: T) => Input;

  constructor(end: Subscriber<Indicated<T, Made>>, made: Made, inputOf: (item: T) => Input) {
    super(end);
    this.#end = end;
    this.#indicators = Object.entries(made).map(([name, make]) => [name, make()] as const);
    this.#inputOf = inputOf;
  }

  protected override _next(item: T): void {
    let isWarm = true;
    try {
      const input = this.#inputOf(item);
      for (const [, indicator] of this.#indicators) {
        indicator.add(input);
        isWarm &&= indicator.isStable;
      }
    } catch (error) {
      this.#end.error(error);
      return;
    }
    if (!isWarm) return;
    const values = Object.fromEntries(
      this.#indicators.map(([name, indicator]) => [name, indicator.getResult()]),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each name of `made`
    this.#end.next({ item, ...values } as Indicated<T, Made>);
  }
}
