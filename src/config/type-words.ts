/** Words a person uses for the types of YAML, and what to do about a value of another one. */
const WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list (- item)',
  object: 'a section of keys',
  record: 'a section of keys',
};

export const expectedType = (type: string): string => WORDS[type] ?? type;

/** Empty when there is nothing to add. */
export function typeHint(type: string, received: unknown): string {
  switch (type) {
    case 'int':
    case 'number':
      return typeof received === 'string' ? numberHint(received) : '';
    case 'boolean':
      return booleanHint(received);
    case 'array':
      return listHint(received);
    case 'string':
      return typeof received === 'number' ? 'put it in quotes' : '';
    case 'object':
    case 'record':
      return sectionHint(received);
    default:
      return '';
  }
}

/** What to do about a key with nothing behind it. */
export function emptyHint(type: string, isRequired: boolean): string {
  const isSection = type === 'object' || type === 'record';
  const give = isSection ? 'indent its keys below it' : 'give it a value';
  return isRequired ? give : `${give}, or remove ${isSection ? 'it' : 'the key'}`;
}

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
/** Digits in groups: 5,000,000 and 5_000_000, and 5.000.000 where the point is not the decimal one. */
const GROUPED = /^-?\d{1,3}([,_ ' ]\d{3})+(\.\d+)?$|^-?\d{1,3}(\.\d{3}){2,}$/;
/** A number and what hangs on it: a unit, a comma, a percent sign, a remark. */
const NUMBER_AND_MORE = /^(-?\d+(?:\.\d+)?)(?=[^\d.])/;

function numberHint(text: string): string {
  if (PLAIN_NUMBER.test(text)) return 'remove the quotes';
  if (GROUPED.test(text)) {
    const digits = /\.\d+$/.test(text) && !/^-?\d{1,3}(\.\d{3}){2,}$/.test(text) ? /[^\d.-]/g : /[^\d-]/g;
    return `write ${text.replaceAll(digits, '')}`;
  }
  const number = NUMBER_AND_MORE.exec(text)?.[1];
  return number === undefined ? '' : `write the number alone, ${number}`;
}

const YES: ReadonlySet<string> = new Set(['yes', 'y', 'on', 'true', '1']);
const NO: ReadonlySet<string> = new Set(['no', 'n', 'off', 'false', '0']);

function booleanHint(received: unknown): string {
  if (received === 'true' || received === 'false') return 'remove the quotes';
  const word = String(received).toLowerCase();
  if (YES.has(word)) return 'write true';
  return NO.has(word) ? 'write false' : '';
}

function listHint(received: unknown): string {
  if (typeof received === 'string')
    return `write [${received.includes(':') ? JSON.stringify(received) : received}]`;
  return typeof received === 'object' ? 'begin each item with a dash and a space' : '';
}

function sectionHint(received: unknown): string {
  if (Array.isArray(received)) return 'remove the dashes or brackets: it is not a list';
  if (typeof received !== 'string') return '';
  if (/^[\w-]+:\S/.test(received)) return 'put a space after the colon';
  return /^[\w-]+ *=/.test(received) ? 'write key: value' : '';
}
