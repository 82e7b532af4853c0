/** Notices and undoes changes of what all code of a thread shares: builtin objects, their prototypes, and globals. */

const NAMES = (
  'Object Function Array String Number Boolean BigInt Symbol Math JSON Reflect Proxy Promise Map Set WeakMap WeakSet RegExp Error ' +
  'TypeError RangeError ArrayBuffer DataView Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array Float32Array ' +
  'Float64Array BigInt64Array Uint8ClampedArray BigUint64Array SharedArrayBuffer Atomics Intl Date WeakRef FinalizationRegistry'
).split(' ');

type Descriptors = ReadonlyMap<PropertyKey, PropertyDescriptor>;

interface Shared {
  readonly name: string;
  readonly object: object;
  readonly before: Descriptors;
}

/** Ends with the changes since the beginning, by name, and undoes them. */
export function watchBuiltins(): () => readonly string[] {
  const all = sharedObjects();
  const globals = new Set(Reflect.ownKeys(globalThis));
  return () => [...all.flatMap(undone), ...undoneGlobals(globals)];
}

function sharedObjects(): readonly Shared[] {
  const found = NAMES.flatMap((name) => {
    const object: unknown = Reflect.get(globalThis, name);
    if (!isObject(object)) return [];
    const prototype: unknown = Reflect.get(object, 'prototype');
    return [
      { name, object },
      ...(isObject(prototype) ? [{ name: `${name}.prototype`, object: prototype }] : []),
    ];
  });
  const iterator: unknown = Object.getPrototypeOf([][Symbol.iterator]());
  const typed: unknown = Object.getPrototypeOf(Int32Array.prototype);
  if (isObject(iterator)) found.push({ name: 'the iterator of arrays', object: iterator });
  if (isObject(typed)) found.push({ name: 'TypedArray.prototype', object: typed });
  return found.map((each) => ({ ...each, before: descriptorsOf(each.object) }));
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const descriptorsOf = (object: object): Descriptors =>
  new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key) ?? {}]));

function undone({ name, object, before }: Shared): readonly string[] {
  const after = descriptorsOf(object);
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was !== undefined && is !== undefined && isSame(was, is)) return [];
    if (was === undefined) Reflect.deleteProperty(object, key);
    else Reflect.defineProperty(object, key, was);
    return [`${name}.${String(key)}`];
  });
}

const isSame = (a: PropertyDescriptor, b: PropertyDescriptor): boolean =>
  Object.is(a.value, b.value) && a.get === b.get && a.set === b.set;

/** The runtime fills in some globals when they are first used: values are not compared. */
function undoneGlobals(before: ReadonlySet<PropertyKey>): readonly string[] {
  return Reflect.ownKeys(globalThis).flatMap((key) => {
    if (before.has(key)) return [];
    Reflect.deleteProperty(globalThis, key);
    return [`globalThis.${String(key)}`];
  });
}
