/** Whole numbers in as few bytes as they need: seven bits a byte, the last one without the high bit. */
import { assert } from '../../domain/assert.ts';

const LOW_BITS = 128;
/** A whole number of 53 bits needs as many. */
const BYTES_MAX = 8;

/** Differences from value to value, in `unit`s: small where values change little. They never fall. */
export function packRising(values: Float64Array, unit: number): Uint8Array {
  const bytes = new Uint8Array(values.length * BYTES_MAX);
  let at = 0;
  let before = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    let left = (value - before) / unit;
    before = value;
    for (; left >= LOW_BITS; at += 1) {
      bytes[at] = (left % LOW_BITS) | LOW_BITS;
      left = Math.floor(left / LOW_BITS);
    }
    bytes[at] = left;
    at += 1;
  }
  return bytes.subarray(0, at);
}

export function unpackRising(bytes: Uint8Array, unit: number, into: Float64Array): void {
  let at = 0;
  let value = 0;
  for (let i = 0; i < into.length; i += 1) {
    let factor = 1;
    let difference = 0;
    let byte = bytes[at] ?? NaN;
    for (; byte >= LOW_BITS; factor *= LOW_BITS) {
      difference += (byte - LOW_BITS) * factor;
      at += 1;
      byte = bytes[at] ?? NaN;
    }
    at += 1;
    value += (difference + byte * factor) * unit;
    into[i] = value;
  }
  assert(at === bytes.length, 'a packed column has as many values as rows');
}

/** Differences from value to value, of either sign. */
export function packChanges(values: Int32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 5);
  let at = 0;
  let before = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    // Around zero: 0, -1, 1, -2, 2. Differences wrap within 32 bits, and back again.
    const change = (value - before) | 0;
    before = value;
    let left = ((change << 1) ^ (change >> 31)) >>> 0;
    for (; left >= LOW_BITS; at += 1) {
      bytes[at] = (left & (LOW_BITS - 1)) | LOW_BITS;
      left >>>= 7;
    }
    bytes[at] = left;
    at += 1;
  }
  return bytes.subarray(0, at);
}

export function unpackChanges(bytes: Uint8Array, into: Int32Array): void {
  let at = 0;
  let value = 0;
  for (let i = 0; i < into.length; i += 1) {
    let shift = 0;
    let packed = 0;
    let byte = bytes[at] ?? 0;
    for (; byte >= LOW_BITS; shift += 7) {
      packed |= (byte - LOW_BITS) << shift;
      at += 1;
      byte = bytes[at] ?? 0;
    }
    at += 1;
    packed |= byte << shift;
    value = (value + ((packed >>> 1) ^ -(packed & 1))) | 0;
    into[i] = value;
  }
  assert(at === bytes.length, 'a packed column has as many values as rows');
}
