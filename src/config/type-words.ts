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
      return typeof received === 'string' && /^\d+(\.\d+)?$/.test(received) ? 'remove the quotes' : '';
    case 'array':
      return typeof received === 'string' ? `write [${received}]` : '';
    case 'string':
      return typeof received === 'number' ? 'put it in quotes' : '';
    case 'object':
    case 'record':
      return received === null ? 'indent its keys below it, or remove it' : '';
    default:
      return '';
  }
}
