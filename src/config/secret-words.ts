/** Finds secrets that were written into the file, so that no message repeats them. */
import type { Path, YamlSource } from './yaml-source.ts';

const SECRET_NAME =
  /^(?:.*(?:token|secret|password|passwd|passphrase|api_?-?key)|otp|pin|jwt|credentials?)$/i;

export const isSecretName = (key: string): boolean => SECRET_NAME.test(key);

export const SECRET_HINT =
  'put it in the environment or in a file that auth.apiKeyFile names, and have the broker replace the one that stood here';

/** Keys that name the place of a secret; people write the secret itself there. */
const TEMPTING: ReadonlySet<PropertyKey> = new Set([
  'auth',
  'otp',
  'apiKeyEnvironment',
  'restUrl',
  'streamUrl',
]);
/** Plain words are mistakes, not secrets. */
const WORD = /^[a-z]{1,12}$/i;
const PARTS_OF_ADDRESS = /^(?<scheme>[a-z]+:\/\/)?(?:[^/@]*@)?(?<place>[^?#]*)/i;

/** Replaces the value at `path` in messages; undefined when the value may be shown. */
export function concealed(path: Path, source: YamlSource): string | undefined {
  const value = source.at(path);
  const name = path.at(-1);
  if (name === undefined || value === undefined || value === null || !TEMPTING.has(name)) return undefined;
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a section of keys';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'restUrl' || name === 'streamUrl') {
    const { scheme = '', place = '' } = PARTS_OF_ADDRESS.exec(text)?.groups ?? {};
    return JSON.stringify(`${scheme}${place}`);
  }
  return WORD.test(text) ? undefined : 'a text that is not shown here';
}
