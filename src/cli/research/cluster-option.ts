/** A command on a NATS server: its address is an argument, and who connects comes from the environment. */
import type { Cluster } from '../../cluster/connection.ts';

const of = (key: string): string | undefined => process.env[`TICKWRIGHT_NATS_${key}`];

/** Opens the connection, and ends it after the work. */
export async function onCluster<T>(
  url: string,
  name: string,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const { openCluster } = await import('../../cluster/connection.ts');
  const files = Object.entries({ ca: of('CA'), cert: of('CERT'), key: of('KEY') }).filter(
    ([, path]) => path !== undefined,
  );
  const cluster = await openCluster(
    {
      url,
      user: of('USER'),
      password: of('PASSWORD'),
      credentials: of('CREDENTIALS'),
      tls: files.length === 0 ? undefined : Object.fromEntries(files),
    },
    `tickwright ${name}`,
  );
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}
