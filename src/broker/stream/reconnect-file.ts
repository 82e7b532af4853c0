/** The reconnect state in a small file: a restart in the middle of an outage must not begin to knock anew. */
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import {
  FRESH_STATE,
  type PauseReason,
  type ReconnectState,
  type ReconnectStore,
} from './reconnect-policy.ts';

const PAUSES = new Map<string, PauseReason | null>([
  ['none', null],
  ['attempts_used_up', 'attempts_used_up'],
  ['protocol_error', 'protocol_error'],
]);

export const createReconnectFile = (path: string): ReconnectStore => ({
  load: () => {
    const file = readPrivateFile(path);
    return file.kind === 'text' ? parseState(file.text) : FRESH_STATE;
  },
  save: ({ attempts, protocolErrors, paused }) =>
    writePrivateFile(path, `${attempts} ${protocolErrors} ${paused ?? 'none'}\n`),
});

/** What cannot be read is as good as none: at worst the attempts are counted from one again. */
function parseState(text: string): ReconnectState {
  const [attempts = '', protocolErrors = '', pause = ''] = text.trim().split(' ');
  const paused = PAUSES.get(pause);
  if (!/^\d{1,2}$/.test(attempts) || !/^\d{1,2}$/.test(protocolErrors) || paused === undefined)
    return FRESH_STATE;
  return { attempts: Number(attempts), protocolErrors: Number(protocolErrors), paused };
}
