/** Digits of an id that are shown: two of the start and six of the counter tell all orders of a day apart. */
const DIGITS = 8;

/** The end of an order's id, so that its lines can be followed by eye and found by search in the journal. */
export const shortId = (id: string): string =>
  `#${/\d$/.test(id) && id.startsWith('H.') ? id.slice(-DIGITS) : id}`;
