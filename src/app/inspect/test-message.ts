/** `tickwright test-message --config FILE`: tries the channels of a configuration without a daemon. */
import type { Config } from '../../config/config.ts';
import { failureOf } from '../../domain/failure.ts';
import type { Channel } from '../../operator/alerts/message.ts';
import { Secrets } from '../../operator/redact.ts';
import { type ChannelTrial, openChannel, tryChannels } from '../edge/operator-channels.ts';

export async function testMessage(
  { alerts, mode }: Pick<Config, 'alerts' | 'mode'>,
  id: string | null,
): Promise<readonly ChannelTrial[]> {
  const secrets = new Secrets([]);
  const channels: Channel[] = [];
  const unopened: ChannelTrial[] = [];
  for (const settings of alerts.channels.filter((channel) => id === null || channel.id === id)) {
    const failure = failureOf(() => channels.push(openChannel(settings, secrets).channel));
    if (failure !== null) unopened.push({ id: settings.id, failure });
  }
  try {
    return [...(await tryChannels(channels, mode, secrets)), ...unopened];
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
  }
}
