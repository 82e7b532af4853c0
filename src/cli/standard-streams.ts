/** The streams of the process as pipes: slow readers get everything, and readers that have gone break nothing. */
import type { Writable } from 'node:stream';

const STREAMS: readonly Writable[] = [process.stdout, process.stderr];

/** Whoever watched may leave (`| head`, a closed terminal): what goes on must not end for it. */
export function keepPipesQuiet(): void {
  for (const stream of STREAMS) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Until all that was said is out: what waits in a full pipe is lost when the process exits. */
export async function written(): Promise<void> {
  for (const stream of STREAMS) await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
