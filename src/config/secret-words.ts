/** Secrets have no place in the file, and what looks like one is never shown again. */
import type { Path, YamlSource } from './yaml-source.ts';

const SECRET_NAME =
  /^(?:.*(?:token|secret|password|passwd|passphrase|api_?-?key)|otp|pin|jwt|credentials?)$/i;

export const isSecretName = (key: string): boolean => SECRET_NAME.test(key);

export const SECRET_HINT =
  'put it in the environment or in a file that auth.apiKeyFile names, and have the broker replace the one that stood here';

/** Places where a person may have written the secret itself instead of where it is. */
const TEMPTING: ReadonlySet<PropertyKey> = new Set([
  'auth',
  'otp',
  'apiKeyEnvironment',
  'restUrl',
  'streamUrl',
]);
/** A plain word is a wrong word, not a secret. */
const WORD = /^[a-z]{1,12}$/i;
const PARTS_OF_ADDRESS = /^(?<scheme>[a-z]+:\/\/)?(?:[^/@]*@)?(?<place>[^?#]*)/i;

/** What to show instead of the value at `path`; undefined when it may be seen. */
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
