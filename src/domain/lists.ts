/**
 * The list with one more item. An empty one is replaced, with room for one: most lists of an event's changes are never longer, and an array
 * that grows takes room for many. To set the length of an array to zero takes longer than both.
 */
export function appended<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

export function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Leaves at most so many. */
export function dropOldest<Key>(map: Map<Key, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}

/** False when it was there already. */
export function addNew<Item>(set: Set<Item>, item: Item): boolean {
  if (set.has(item)) return false;
  set.add(item);
  return true;
}

/** Index of the first of rising numbers that is at least `least`, between two indices; `to` when there is none. Binary search. */
export function firstAtLeast(rising: ArrayLike<number>, least: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
