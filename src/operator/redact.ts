/** Removes secrets from logs, messages and lines. */

const KEPT = 3;

/** The last three characters of an account number. */
export const redactAccount = (account: string): string =>
  account.length <= KEPT ? '***' : `***${account.slice(-KEPT)}`;

const HIDDEN = '[hidden]';

const SECRET_NAME =
  /^(?:.*(?:token|secret|password|passwd|api[-_]?key|authorization|cookie)|otp|.*[-_]?otp|otp[-_]?(?:code|value)?|pin|jwt)$/i;
const ACCOUNT_NAME =
  /^(?:account|custody|sub[-_]?account|investor)(?:[-_]?(?:id|no|number|code|tail))?$|^(?:account|subaccount)ids?$/i;

const JWT = /\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g;
const BEARER = /\b(bearer\s+)[\w.~+/=-]+/gi;
/** A value without a digit is an ordinary word. */
const ASSIGNED = /\b((?:otp|api[-_ ]?key|password|secret|token)\s*[=:]\s*"?)(?=[^\s",;]*\d)[^\s",;]{4,}/gi;
/** A custody account: three digits of the member, a letter, six digits. */
const CUSTODY = /\b\d{3}[A-Z]\d{3}(\d{3})\b/g;

/** Shorter ones would blank out ordinary words. */
const SECRET_CHARACTERS_MIN = 4;

/** `secrets` are removed wherever they occur. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  // Longest first: one may be part of another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= SECRET_CHARACTERS_MIN) shown = shown.replaceAll(secret, HIDDEN);
  }
  return shown
    .replace(JWT, HIDDEN)
    .replace(BEARER, `$1${HIDDEN}`)
    .replace(ASSIGNED, `$1${HIDDEN}`)
    .replace(CUSTODY, '***$1');
}

/** A copy without keys, one-time passwords, tokens and account numbers, at any depth. */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((each: unknown) => redactValue(each, secrets));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return { name: value.name, message: redactText(value.message, secrets) };
  if (value instanceof Map) return redactValue(Object.fromEntries(value), secrets);
  if (value instanceof Set) return redactValue([...value], secrets);
  const shown: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) shown[name] = redactField(name, each, secrets);
  return shown;
}

function redactField(name: string, value: unknown, secrets: readonly string[]): unknown {
  const isText = typeof value === 'string' || typeof value === 'number';
  if (SECRET_NAME.test(name) && isText) return HIDDEN;
  if (ACCOUNT_NAME.test(name) && isText) return redactAccount(String(value));
  return redactValue(value, secrets);
}

/** One-time passwords and tokens of the past that are still removed; a broker may quote the one before. */
const LEARNED_MAX = 8;

/** Fields that hold words of the broker; names and numbers are left alone, decisions need them. */
const WORDS: ReadonlySet<string> = new Set(['reason', 'text', 'message', 'statusText']);

const UNMISTAKABLE_CHARACTERS_MIN = 8;
const isUnmistakable = (secret: string): boolean =>
  secret.length >= UNMISTAKABLE_CHARACTERS_MIN && /[a-z]/i.test(secret);

/** The values that no sink may show: account and key from the start, passwords and tokens as they come. */
export class Secrets {
  readonly #fixed: string[];
  readonly #learned: string[] = [];
  #unmistakable: readonly string[];

  constructor(fixed: readonly string[]) {
    this.#fixed = [...fixed];
    this.#unmistakable = fixed.filter(isUnmistakable);
  }

  get values(): readonly string[] {
    return [...this.#fixed, ...this.#learned];
  }

  /** Redacts it until the end of this run, such as the token of a channel. */
  keep(value: string): void {
    if (!this.#fixed.includes(value)) this.#fixed.push(value);
    this.#unmistakable = this.values.filter(isUnmistakable);
  }

  /** Redacts it until another replaces it. */
  add(value: string): void {
    if (this.#learned.includes(value)) return;
    this.#learned.push(value);
    if (this.#learned.length > LEARNED_MAX) this.#learned.shift();
    this.#unmistakable = this.values.filter(isUnmistakable);
  }

  /** For texts full of numbers, such as frames: six digits may equal a password, so short secrets and patterns stay. */
  hideAmongNumbers(text: string): string {
    let shown = text;
    for (const secret of this.#unmistakable)
      if (shown.includes(secret)) shown = shown.replaceAll(secret, HIDDEN);
    return shown;
  }

  readonly hide = (text: string): string => redactText(text, this.values);

  /** The event itself where it quotes nothing. */
  hideIn<T>(event: T): T {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become other texts, nothing else changes
    return hiddenIn(event, this.values) as T;
  }
}

function hiddenIn(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const shown = value.map((each: unknown) => hiddenIn(each, secrets));
    return shown.every((each, i) => each === value[i]) ? value : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  let shown: object = value;
  for (const [name, field] of Object.entries(value)) {
    const isWords = typeof field === 'string' && field !== '' && WORDS.has(name);
    const hidden = isWords ? redactText(field, secrets) : hiddenIn(field, secrets);
    if (hidden !== field) shown = { ...shown, [name]: hidden };
  }
  return shown;
}
