/** The bytes of a text frame as a WebSocket server sends it: unmasked, its length in 7 or 16 bits. */
export function framed(text: string): Buffer {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, body.length])
      : Buffer.from([0x81, 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([head, body]);
}
