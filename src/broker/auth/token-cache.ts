/** The token across restarts: a restart must not cost one of the ten exchanges of the day. */
import { rmSync } from 'node:fs';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

export interface TokenCache {
  /** The cached token, or why there is none to use. */
  load(): { readonly jwt: string } | { readonly none: string };
  save(jwt: string): void;
  clear(): void;
}

/** `owner` names broker and account: a token of another one is not used. */
export function createTokenCache(path: string, owner: string): TokenCache {
  return {
    load: () => {
      const file = readPrivateFile(path);
      if (file.kind === 'absent') return { none: 'no cached token' };
      if (file.kind === 'exposed')
        return { none: `cached token ignored: mode of ${path} is ${file.mode}, expected 600` };
      const [writtenFor, jwt] = file.text.split('\n');
      if (writtenFor !== owner)
        return { none: 'cached token ignored: it belongs to another broker or account' };
      return jwt === undefined || jwt === '' ? { none: 'cached token ignored: it is incomplete' } : { jwt };
    },
    save: (jwt) => writePrivateFile(path, `${owner}\n${jwt}\n`),
    clear: () => rmSync(path, { force: true }),
  };
}
