/** Keys and options of older versions that are gone, and what to do instead: the path of a key without places of lists, or a command with its option. */
export const RETIRED: ReadonlyMap<string, string> = new Map([
  [
    'data.depth',
    'levels of a book are columns of data.prints or data.quotes, bid_1 to ask_size_10; make such a file of depth messages',
  ],
  [
    'data.bars.ask',
    'write bid and ask into one file of bars, with columns bid_open to bid_close and ask_open to ask_close',
  ],
  [
    'data import --ask',
    'write bid and ask into one file of bars, with columns bid_open to bid_close and ask_open to ask_close',
  ],
  ['data import --levels', 'all levels that a file has are kept, 10 at most'],
]);
