import { readBlocks } from '../host/block-file.ts';
import { statePaths } from '../restart/state-paths.ts';

/** Address of the control API, written by the daemon into its state directory with access for its owner only. */
export interface ControlLink {
  readonly port: number;
  readonly token: string;
  /** Digest of the program that the daemon runs; null when it is not known. */
  readonly program: string | null;
}

/** Undefined without the file of a daemon. Throws when the file cannot be read as one. */
export function readControl(stateDir: string): ControlLink | undefined {
  const path = statePaths(stateDir).control;
  const [text = ''] = readBlocks(path) ?? [];
  if (text === '') return undefined;
  const link: unknown = JSON.parse(text);
  if (typeof link === 'object' && link !== null && 'port' in link && 'token' in link) {
    const { port, token } = link;
    const program = 'program' in link && typeof link.program === 'string' ? link.program : null;
    if (typeof port === 'number' && typeof token === 'string') return { port, token, program };
  }
  throw new Error(`${path}: expected {"port": number, "token": text}; remove it and start the daemon again`);
}
