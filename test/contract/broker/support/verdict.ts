/** What an answer says, in the words of the document (contract, 7). */
import type { Operation } from '../document/operation.ts';
import type { Answer } from './bare-client.ts';

const ENVELOPE_KEYS = 'cmd,data,oID,rc,rs';
const isText = (value: unknown): boolean => typeof value === 'string' && /\w/.test(value);
const isRefusal = (said: unknown): said is string => typeof said === 'string' && /^-\d+$/.test(said);

/** `accepted`, or `refused` with its code; anything else is no answer that the document allows. */
export function verdictOf({ verdict }: Operation, { status, json, text }: Answer): string {
  const neither = `neither: HTTP ${status} ${text}`;
  if (verdict === null) {
    if (status === 200) return 'accepted';
    // A text that a person can read, and a code that is a text; never an error of the server.
    const isError = [400, 404].includes(status) && isText(json['code']) && isText(json['message']);
    return isError ? `refused ${status}` : neither;
  }
  const { key, success } = verdict;
  const said = json[key];
  if (status !== 200) return neither;
  if (key !== 'rc') {
    if (said === success) return 'accepted';
    return isRefusal(said) && isText(json['message']) ? `refused ${said}` : neither;
  }
  if (Object.keys(json).toSorted().join(',') !== ENVELOPE_KEYS) return neither;
  if (said === success) return json['rs'] === '' ? 'accepted' : neither;
  const isEmpty = Array.isArray(json['data']) && json['data'].length === 0;
  return isRefusal(said) && isText(json['rs']) && isEmpty ? `refused ${said}` : neither;
}
