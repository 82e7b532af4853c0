/** How this machine reaches the server of the `cluster` section, with its secrets. */
import { readFileSync } from 'node:fs';
import type { Cluster } from '../cluster/connection.ts';
import type { FeedTerms } from '../cluster/feed-messages.ts';
import type { ClusterConfig, Config, SecretRef } from '../config/config.ts';
import { isExposed } from '../config/config-rules.ts';
import { errorText } from '../domain/failure.ts';

/** From the environment first, then from a file; undefined when it is nowhere. Throws for a file that others can read. */
export function readSecret({ environment, file }: SecretRef): string | undefined {
  const named = process.env[environment]?.trim();
  if (named !== undefined && named !== '') return named;
  if (file === undefined) return undefined;
  if (isExposed(file)) throw new Error(`${file} can be read by others: chmod 600 ${file}`);
  const text = readFileSync(file, 'utf8').trim();
  return text === '' ? undefined : text;
}

/** `name` is shown by the server among its connections. */
async function openConfigured(
  { url, user, password, credentials, tls }: ClusterConfig,
  name: string,
): Promise<Cluster> {
  const { openCluster } = await import('../cluster/connection.ts');
  const secret = user === undefined ? undefined : readSecret(password);
  return openCluster({ url, user, password: secret, credentials, tls }, name);
}

export class FeedNotThere extends Error {}

/** The feed that this run publishes or reads; undefined for none. */
export function configuredFeed({ cluster, mode }: Pick<Config, 'cluster' | 'mode'>) {
  if (cluster?.feed === undefined) return undefined;
  const { role, name, keepDays, keepGigabytes, delay } = cluster.feed;
  const open = (): Promise<Cluster> => openConfigured(cluster, `tickwright ${mode}`);
  return { role, name, keep: { days: keepDays, bytes: Math.round(keepGigabytes * 1e9) }, delay, open };
}

/** Contracts of a feed that is to be read; throws `FeedNotThere`. */
export async function readFeedTerms({ name, open }: FeedAccess): Promise<FeedTerms> {
  const { readTerms } = await import('../cluster/feed-reader.ts');
  try {
    const cluster = await open();
    try {
      return await readTerms(cluster, name);
    } finally {
      await cluster.close();
    }
  } catch (error) {
    throw new FeedNotThere(errorText(error), { cause: error });
  }
}

export type FeedAccess = NonNullable<ReturnType<typeof configuredFeed>>;
