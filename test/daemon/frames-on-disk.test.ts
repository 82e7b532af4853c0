/** Whatever a full disk refuses, and whenever the process is killed: a restart reads what was decided on, in its order. */
import type * as Fs from 'node:fs';
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { filter, map, pipe, tap } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Inbox, LAG_MAX } from '../../src/daemon/session/inbox.ts';
import { tsUs } from '../../src/domain/units.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { openFrameLog, readFrameBatches, readNote } from '../../src/recording/frame-log.ts';
import { DAY } from '../journal/journal-fixture.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NEVER_BEHIND } from '../support/simple-parts.ts';
import { tradeTick } from '../support/strategy-fixtures.ts';

/**
 * `onChange` looks at each state in which a kill could leave it. Off, the disk is the real one: later files of the process may have these
 * modules.
 */
const disk = vi.hoisted(() => ({
  isOn: false,
  room: Infinity,
  canCut: true,
  onChange: (): void => undefined,
}));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  return {
    ...fs,
    writeSync: (...args: Parameters<typeof Fs.writeSync>) => {
      if (!disk.isOn) return fs.writeSync(...args);
      const [file, bytes, from] = args as unknown as [number, Buffer, number];
      if (disk.room <= 0) throw new Error('ENOSPC: no space left on device, write');
      const done = fs.writeSync(file, bytes, from, Math.min(bytes.length - from, disk.room));
      disk.room -= done;
      disk.onChange();
      return done;
    },
    ftruncateSync: (file: number, size: number) => {
      if (!disk.isOn) return fs.ftruncateSync(file, size);
      if (!disk.canCut) throw new Error('EIO: i/o error, ftruncate');
      disk.room += fs.fstatSync(file).size - size;
      fs.ftruncateSync(file, size);
      disk.onChange();
    },
  };
});

type Head = Pick<EngineEvent, 'seq' | 'tsUs'>;

const headOf = ({ seq, tsUs: at }: Head): Head => ({ seq, tsUs: at });
const inOrder = (heads: readonly Head[]): readonly Head[] => heads.toSorted((a, b) => a.seq - b.seq);
const stream = (state: 'live' | 'stale' | 'down') => ({ kind: 'stream', state, reason: '' }) as const;
const ROOM = { room: Infinity, canCut: true };
const NOISE = 'noise';
const POSTS = 'posts';

/** The memory of a process goes with a kill, what is on the disk stays. */
class Story {
  readonly #dir: string;
  #log: ReturnType<typeof openFrameLog>;
  #inbox: Inbox;
  #now = 1_000;
  #realUs = 0;
  /** To the engine, of each process. */
  #given: Head[] = [];
  /** Rows of the journal that wait. */
  #waitingInputs: Head[] = [];
  #waitingCause = 0;
  #inputs: Head[] = [];
  #lastCause = 0;
  /** The engine has enough to do: frames wait. */
  #isBusy = false;
  /** Since the process began. */
  #offered = 0;
  #dropped = 0;
  readonly problems: string[] = [];

  constructor(dir: string) {
    this.#dir = dir;
    rmSync(dir, { recursive: true });
    this.#log = openFrameLog(dir, DAY);
    this.#inbox = this.#start();
    Object.assign(disk, ROOM, { onChange: () => this.#look() });
  }

  play(step: string | number): void {
    this.#now += 1;
    // Below zero: it does not cut back either what it took in part.
    if (typeof step === 'number') Object.assign(disk, { room: Math.abs(step), canCut: step >= 0 });
    else if (step === 'post') this.#inbox.post({ kind: 'clock' });
    else if (step === 'flush') this.#inbox.flush();
    else if (step === 'commit') this.#commit();
    else if (step === 'clock back') this.#now -= 100;
    else if (step === 'room') Object.assign(disk, ROOM);
    else if (step === 'kill') this.#kill();
    else if (step === 'busy') this.#isBusy = true;
    else if (step === 'answer') this.#answer();
    else if (step === 'late') this.#realUs += LAG_MAX + 1;
    else if (step === 'down') this.#down();
    else if (step === 'flood') for (let i = 0; i < 300; i += 1) this.#frame('price');
    else this.#frame(step);
    this.#count(step);
  }

  #count(step: string | number): void {
    const { frames, framesWaiting } = this.#inbox;
    if (frames + framesWaiting + this.#dropped !== this.#offered)
      this.problems.push(
        `${step}: ${this.#offered} frames came, ${frames} were taken, ${framesWaiting} wait, ${this.#dropped} were dropped`,
      );
  }

  #frame(text: string): void {
    this.#offered += 1;
    this.#inbox.takeFrame(text);
  }

  #answer(): void {
    this.#isBusy = false;
    this.#inbox.release();
  }

  #down(): void {
    this.#dropped += this.#inbox.dropFrames();
    this.#inbox.post(stream('down'));
  }

  end(): void {
    Object.assign(disk, ROOM);
    this.#answer();
    this.#count('in the end');
    this.#inbox.flush();
    this.#commit();
    this.#equal('in the end', this.#past(), this.#given);
    this.#log.close();
  }

  #start(): Inbox {
    const frames = [...readFrameBatches(this.#log.path)].flat();
    const last = inOrder([...frames, ...this.#inputs]).at(-1);
    const clock = { nowUs: () => tsUs(this.#now) };
    // Nobody sets it back.
    const realClock = { nowUs: () => tsUs(this.#realUs) };
    const inbox: Inbox = new Inbox({
      clock,
      realClock,
      recordInput: (input) => void this.#waitingInputs.push(headOf(input)),
      decode: pipe(
        tap(({ text }) => (text === POSTS ? inbox.post(stream('live')) : undefined)),
        filter(({ text }) => text !== NOISE),
        map((frame) => tradeTick(frame, 1)),
      ),
      engine: { canAccept: () => !this.#isBusy, process: (events) => this.#take(events) },
      watch: {
        ...NEVER_BEHIND,
        onBehind: () => inbox.post(stream('stale')),
        onCaughtUp: () => inbox.post(stream('live')),
      },
    });
    inbox.frameLog = this.#log;
    inbox.goOnAfter(last?.seq ?? 0, last?.tsUs ?? tsUs(0));
    return inbox;
  }

  #take(events: readonly EngineEvent[]): void {
    this.#waitingCause = events.at(-1)?.seq ?? 0;
    const written = this.#frames().map(({ seq }) => seq);
    if (disk.room === Infinity && disk.canCut)
      for (const { kind, seq } of events)
        if (kind === 'trade' && !written.includes(seq)) this.problems.push(`${seq} is not written`);
    this.#given.push(...events.map(headOf));
  }

  #commit(): void {
    try {
      this.#inbox.writeFrames();
    } catch {
      // As the journal: its rows wait.
      return;
    }
    this.#inputs.push(...this.#waitingInputs);
    this.#waitingInputs = [];
    this.#lastCause = this.#waitingCause;
    this.#look();
  }

  #kill(): void {
    Object.assign(disk, ROOM);
    this.#given = [...this.#past()];
    this.#log.close();
    this.#log = openFrameLog(this.#dir, DAY);
    this.#waitingInputs = [];
    this.#offered = 0;
    this.#dropped = 0;
    this.#waitingCause = this.#given.at(-1)?.seq ?? 0;
    this.#lastCause = this.#waitingCause;
    this.#inbox = this.#start();
  }

  #frames(): readonly Head[] {
    return [...readFrameBatches(this.#log.path)]
      .flat()
      .filter((frame) => frame.text !== NOISE && readNote(frame) === undefined)
      .map(headOf);
  }

  #past(): readonly Head[] {
    const frames = this.#frames();
    this.#equal('order of frames', frames, inOrder(frames));
    return inOrder([...frames, ...this.#inputs]);
  }

  #look(): void {
    const isDecided = ({ seq }: Head): boolean => seq <= this.#lastCause;
    this.#equal('decided', this.#past().filter(isDecided), this.#given.filter(isDecided));
  }

  #equal(what: string, there: readonly Head[], expected: readonly Head[]): void {
    if (isDeepStrictEqual(there, expected)) return;
    this.problems.push(`${what}: ${JSON.stringify(there)} instead of ${JSON.stringify(expected)}`);
  }
}

const step = fc.oneof(
  fc.constantFrom('price', POSTS, NOISE, 'post', 'flush', 'commit', 'clock back', 'flood', 'kill'),
  fc.constantFrom('busy', 'answer', 'late', 'down'),
  fc.constant('room'),
  fc.integer({ min: -200, max: 200 }),
);

test('a restart reads each frame and input that the journal holds a decision of', { timeout: 60_000 }, () => {
  // The batches that are due run behind the test.
  vi.stubGlobal('queueMicrotask', () => undefined);
  disk.isOn = true;
  onTestFinished(() => {
    vi.unstubAllGlobals();
    disk.isOn = false;
  });
  const dir = tempDir();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const story = new Story(dir);
      for (const each of steps) story.play(each);
      story.end();
      expect(story.problems).toEqual([]);
    }),
  );
});
