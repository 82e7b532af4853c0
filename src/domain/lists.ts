/**
 * The list with one more item. One that was empty is made anew, with room for one: most lists of what an event changed are never longer,
 * and an array that grows takes room for many. To set the length of an array to zero takes longer than both.
 */
export function withOne<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}
