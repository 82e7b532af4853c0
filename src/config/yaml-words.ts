/** What the YAML parser found, in the words of somebody who writes the file. */
import type { YAMLError } from 'yaml';

interface Words {
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

const COLUMNS = 'the keys of one section start in the same column, further right than the section itself';

/** `text` is the whole file. */
export function yamlWords({ code, message, pos }: YAMLError, text: string): Words {
  const word = wordAt(text, pos[0]);
  if (code === 'DUPLICATE_KEY')
    return { expected: 'each key once', received: `${word} again`, hint: 'remove one of them' };
  if (code === 'TAB_AS_INDENT')
    return { expected: 'spaces', received: 'a tab', hint: 'YAML is indented with spaces only' };
  if (code === 'MULTILINE_IMPLICIT_KEY')
    return { expected: 'key: value', received: word, hint: 'a colon and a space stand between the two' };
  if (code === 'MULTIPLE_DOCS') return { expected: 'one document', received: '---', hint: 'remove the line' };
  const hint = message.startsWith('Missing closing') ? 'a quote is never closed' : COLUMNS;
  return { expected: 'well-formed YAML', received: message, hint };
}

const wordAt = (text: string, offset: number): string =>
  JSON.stringify(/^[^\s:]+/.exec(text.slice(offset))?.[0] ?? text.slice(offset, offset + 1));
