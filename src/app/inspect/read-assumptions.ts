/** Places where the broker's contract can be read in two ways, and what this build does there. */
export interface OpenReading {
  readonly key: string;
  readonly question: string;
  readonly reading: string;
}

export const OPEN_READINGS: readonly OpenReading[] = [
  {
    key: 'change-volume',
    question: 'is the volume of a change the new total, or what is left to fill?',
    reading: 'the new total; the volume of a partly filled order is not changed at all',
  },
  {
    key: 'entry-with-exits',
    question: 'are stop-loss and take-profit of one order absolute prices, and does one cancel the other?',
    reading:
      'absolute prices for the filled quantity, one cancels the other; a strategy may send them only where live.assume names it',
  },
  {
    key: 'order-after-order',
    question: 'does an order attached to another one wait for its fill?',
    reading: 'it is placed when the first one fills; a strategy may send it only where live.assume names it',
  },
  {
    key: 'conditional-change',
    question: 'what of a conditional order can be changed?',
    reading:
      'the trigger alone; another quantity is a cancel, a look and a new order; a strategy may move one only where live.assume names it',
  },
  {
    key: 'older-tokens',
    question: 'does a new token end the older ones at once?',
    reading: 'they live on until they expire; if one dies earlier it is a planned reconnect, not an error',
  },
  {
    key: 'otp-request-life',
    question: 'how long can a one-time password be used after it was asked for?',
    reading: 'not long: it is exchanged at once and never kept; the simulator gives it five minutes',
  },
];
