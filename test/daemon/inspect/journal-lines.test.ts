/** The journal in words: each kind of entry says something, on one line, without braces of JSON. */
import { expect, test } from 'vitest';
import { wordsOf } from '../../../src/host/state/read-state.ts';
import { instrumentIndex, priceTicks, qty } from '../../../src/domain/units.ts';
import { ENTRIES, naming } from '../../operator/entries.ts';

test.each(Object.values(ENTRIES))('$kind has words', (entry) => {
  const { word, text } = wordsOf(entry, naming);
  expect(word).toMatch(/^[A-Za-z ]+$/);
  expect(text).toMatch(/^[^\n{}]+$/);
});

test('a proposal says what was asked for, and why', () => {
  const { head, order } = { head: ENTRIES.proposal, order: ENTRIES.place.order };
  const { clientOrderId } = order;
  const said = (proposal: typeof head.proposal): string => wordsOf({ ...head, proposal }, naming).text;
  const intent = {
    kind: 'limit',
    instrument: instrumentIndex(0),
    side: 'buy',
    qty: qty(2),
    limitPrice: priceTicks(13_052),
    purpose: 'entry',
    reason: 'fast above slow',
  } as const;
  expect(said({ do: 'submit', clientOrderId, intent })).toMatch(
    /^#\w+ buy 2 \w+ at 1305\.2: fast above slow$/,
  );
  const change = { kind: 'qty', clientOrderId, qty: qty(1) } as const;
  expect(said({ do: 'modify', callId: clientOrderId, change })).toMatch(/^change of #\w+: to 1 in all$/);
});
