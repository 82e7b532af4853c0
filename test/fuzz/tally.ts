/** Counts every case: by what was asked and by what came of it. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  #total = 0;

  count(target: string, verdict: string): void {
    let verdicts = this.#counts.get(target);
    if (verdicts === undefined) {
      verdicts = new Map();
      this.#counts.set(target, verdicts);
    }
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    this.#total += 1;
  }

  get total(): number {
    return this.#total;
  }

  targets(): readonly string[] {
    return [...this.#counts.keys()];
  }

  of(target: string, verdict: string): number {
    return this.#counts.get(target)?.get(verdict) ?? 0;
  }

  /** How often that verdict was given, over all targets. */
  all(verdict: string): number {
    return this.targets().reduce((sum, target) => sum + this.of(target, verdict), 0);
  }

  lines(): readonly string[] {
    return [...this.#counts].map(([target, verdicts]) => {
      const parts = [...verdicts].toSorted(([, a], [, b]) => b - a);
      return `${target.padEnd(28)} ${parts.map(([verdict, times]) => `${verdict} ${times}`).join(', ')}`;
    });
  }
}
