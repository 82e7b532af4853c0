/** Drawing on the canvas of a chart: in the colours of the page, at the places of its samples and prices. */
import type {
  IPrimitivePaneView,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

export type BitmapScope = Parameters<
  Parameters<NonNullable<ReturnType<IPrimitivePaneView['renderer']>>['draw']>[0]['useBitmapCoordinateSpace']
>[0] extends (scope: infer Scope) => unknown
  ? Scope
  : never;

export abstract class CanvasLayer implements ISeriesPrimitive<Time> {
  protected attachedTo: SeriesAttachedParameter<Time> | null = null;
  readonly #views: readonly IPrimitivePaneView[] = [
    {
      renderer: () => ({
        drawBackground: (target) => target.useBitmapCoordinateSpace((scene) => this.drawBehind?.(scene)),
        draw: (target) => target.useBitmapCoordinateSpace((scene) => this.drawBefore(scene)),
      }),
    },
  ];

  attached(to: SeriesAttachedParameter<Time>): void {
    this.attachedTo = to;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  /** Behind the series; absent where nothing is there. */
  protected drawBehind?(scene: BitmapScope): void;

  protected abstract drawBefore(scene: BitmapScope): void;

  /** Of a sample, or between two. */
  protected xOf(at: number, { horizontalPixelRatio }: BitmapScope): number {
    const before = Math.floor(at);
    const ends = [before, before + 1].map(
      (index) => this.attachedTo?.chart.timeScale().logicalToCoordinate(index as Logical) ?? -1, // oxlint-disable-line typescript/no-unsafe-type-assertion -- a brand of the library
    );
    const [left = -1, right = -1] = ends;
    return (left + (right - left) * (at - before)) * horizontalPixelRatio;
  }

  protected yOf(price: number, { verticalPixelRatio }: BitmapScope): number {
    return (this.attachedTo?.series.priceToCoordinate(price) ?? -1) * verticalPixelRatio;
  }
}

/** The colours of a page, read from its style sheet: `--name: #rrggbb`. */
export function ink(name: string, opacity = 1): string {
  const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  if (opacity === 1) return colour;
  return `${colour}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0')}`;
}

const darkness = matchMedia('(prefers-color-scheme: dark)');

/** Calls back when the system changes the colours. Returns the way to stop. */
export function onThemeChange(redraw: () => void): () => void {
  darkness.addEventListener('change', redraw);
  return () => darkness.removeEventListener('change', redraw);
}
