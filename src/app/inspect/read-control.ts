import { readFileSync } from 'node:fs';
import { statePaths } from '../restart/state-paths.ts';

/** How to reach the daemon of a state directory; written by it, for its owner alone. */
export interface ControlLink {
  readonly port: number;
  readonly token: string;
}

/** Undefined when no daemon has left a link there. Throws for a file that is none. */
export function readControl(stateDir: string): ControlLink | undefined {
  const path = statePaths(stateDir).control;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const link: unknown = JSON.parse(text);
  if (typeof link === 'object' && link !== null && 'port' in link && 'token' in link) {
    const { port, token } = link;
    if (typeof port === 'number' && typeof token === 'string') return { port, token };
  }
  throw new Error(`${path}: expected {"port": number, "token": text}; remove it and start the daemon again`);
}
