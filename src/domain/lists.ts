/**
 * The list with one more item. An empty one is replaced, with room for one: most lists of an event's changes are never longer, and an array
 * that grows takes room for many. To set the length of an array to zero takes longer than both.
 */
export function withOne<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** The value of a key; one that is missing is made, and kept. */
export function keptIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
