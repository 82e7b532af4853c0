import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Writes the closing line of a run (`12 passed, 0 failed`) to the file named by TICKWRIGHT_TALLY, for `.ci/run` to print
 * last. A file that could not be loaded and an error outside every test count as failed.
 */
export default class TallyReporter implements Reporter {
  readonly #areStoriesLeftOut: boolean;

  constructor({ areStoriesLeftOut }: { readonly areStoriesLeftOut: boolean }) {
    this.#areStoriesLeftOut = areStoriesLeftOut;
  }

  onTestRunStart(): void {
    if (this.#areStoriesLeftOut)
      process.stderr.write('The long stories of test/e2e are left out: TICKWRIGHT_STORIES=all takes them.\n');
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env['TICKWRIGHT_TALLY'];
    if (path === undefined) return;
    let passed = 0;
    let failed = unhandled.length;
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const failedHere = states.filter((state) => state === 'failed').length;
      passed += states.filter((state) => state === 'passed').length;
      failed += failedHere === 0 && module.state() === 'failed' ? 1 : failedHere;
    }
    writeFileSync(path, `${passed} passed, ${failed} failed\n`);
  }
}
