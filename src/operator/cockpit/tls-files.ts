/** Certificate and key of the page. Whoever renews them on disk need not restart the daemon. */
import { readFileSync } from 'node:fs';
import { errorText } from '../../domain/failure.ts';

export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const LOOK_MS = 60_000;

export const readTls = ({ cert, key }: TlsPaths): TlsPair => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
});

const isSame = (a: TlsPair, b: TlsPair): boolean => a.cert.equals(b.cert) && a.key.equals(b.key);

/**
 * Hands on a pair that changed. Files are compared, not watched: tools renew them by links, and one after the other. A pair that cannot
 * be taken is told once, the one before it goes on. Returns how to stop.
 */
export function followTls(
  paths: TlsPaths,
  first: TlsPair,
  take: (pair: TlsPair) => void,
  onTrouble: (text: string) => void,
): () => void {
  let taken = first;
  let told = '';
  const look = (): void => {
    try {
      const pair = readTls(paths);
      if (isSame(pair, taken)) return;
      take(pair);
      taken = pair;
      told = '';
    } catch (error) {
      const text = `the certificate changed on disk and cannot be used: ${errorText(error)}; the one before goes on until it ends; look at ${paths.cert} and ${paths.key}`;
      if (text !== told) onTrouble(text);
      told = text;
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}
