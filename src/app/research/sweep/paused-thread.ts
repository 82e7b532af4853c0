/** Looks into a thread whose code does not return: the debugger of this process pauses it for a moment. */
import { Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';

export interface PausedThread {
  /** `    at name (file:line:column)`, a line each, innermost first. */
  readonly stack: string;
  /** Of the clock that the thread has told by `showClock`. */
  readonly nowUs: number;
}

const CLOCK = 'tickwright.clock';
const ANSWER_MS_MAX = 5_000;

/** In the thread that may be looked into. */
export const showClock = (clock: { readonly nowUs: number }): boolean =>
  Reflect.set(globalThis, Symbol.for(CLOCK), clock);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly callFrames?: readonly Frame[];
  };
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

interface Frame {
  readonly functionName: string;
  readonly location: {
    readonly scriptId: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

const ENABLE = 1;
const PAUSE = 2;
const READ_CLOCK = 3;
const RESUME = 4;

/** Null where it does not answer. */
export function lookInto({ threadId }: Worker): Promise<PausedThread | null> {
  const session = new Session();
  session.connect();
  return new Promise((resolve) => {
    const end = (found: PausedThread | null): void => {
      clearTimeout(limit);
      session.disconnect();
      resolve(found);
    };
    const limit = setTimeout(() => end(null), ANSWER_MS_MAX);
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      // Its id counts what was attached; the number of the thread stands in the title.
      if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
      const post = (id: number, method: string, params: object = {}): void =>
        session.post('NodeWorker.sendMessageToWorker', {
          sessionId,
          message: JSON.stringify({ id, method, params }),
        });
      const files = new Map<string, string>();
      let stack = '';
      session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
        if (params.sessionId !== sessionId) return;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the debugger
        const message = JSON.parse(params.message) as Message;
        if (message.method === 'Debugger.scriptParsed')
          files.set(message.params?.scriptId ?? '', message.params?.url ?? '');
        if (message.method === 'Debugger.paused') {
          stack = stackOf(message.params?.callFrames ?? [], files);
          const expression = `globalThis[Symbol.for('${CLOCK}')].nowUs`;
          post(READ_CLOCK, 'Runtime.evaluate', { expression });
        }
        if (message.id === READ_CLOCK) {
          const nowUs = Number(message.result?.result?.value);
          // A thread that pauses does not end.
          post(RESUME, 'Debugger.resume');
          end({ stack, nowUs });
        }
      });
      post(ENABLE, 'Debugger.enable');
      post(PAUSE, 'Debugger.pause');
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}

const stackOf = (frames: readonly Frame[], files: ReadonlyMap<string, string>): string =>
  frames
    .map(({ functionName, location: { scriptId, lineNumber, columnNumber } }) => {
      const place = `${files.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`;
      return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`;
    })
    .join('\n');
