/** Schema of `alerts`: how the daemon reaches its operator. Secrets come from the environment or a file, never from here. */
import { z } from 'zod';
import { address, count, durationFrom, pathText, timeOfDay } from './values.ts';

/** The environment comes first, then the file. */
export const secretFrom = (environment: string) =>
  z
    .strictObject({
      environment: z
        .string()
        .regex(/^[A-Z_][A-Z0-9_]*$/, `the name of an environment variable, like ${environment}`)
        .default(environment),
      file: pathText.optional(),
    })
    .prefault({});

const head = {
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name of small letters, digits and dashes'),
  least: z.enum(['info', 'warning', 'critical']).default('warning'),
  perMinute: count.max(60).default(20),
};

const line = z.string().min(1).max(200);

const channel = z.discriminatedUnion('kind', [
  z.strictObject({
    ...head,
    kind: z.literal('telegram'),
    token: secretFrom('TICKWRIGHT_TELEGRAM_TOKEN'),
    chat: z.int(),
    users: z.array(count).default([]),
    apiUrl: address('https://host/').default('https://api.telegram.org'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('email'),
    host: line,
    port: count.max(65_535).default(587),
    secure: z.boolean().default(false),
    from: line,
    to: z.array(line).min(1),
    user: line.optional(),
    password: secretFrom('TICKWRIGHT_SMTP_PASSWORD'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('webhook'),
    url: secretFrom('TICKWRIGHT_WEBHOOK_URL'),
    preset: z.enum(['slack', 'discord', 'ntfy', 'gotify']).optional(),
    template: z.string().min(1).max(10_000).optional(),
  }),
]);

export const alertsSchema = z
  .strictObject({
    channels: z.array(channel).default([]),
    repeatAfter: durationFrom('1m', '24h').prefault('15m'),
    escalateAfter: durationFrom('1m', '24h').prefault('10m'),
    quiet: z.strictObject({ from: timeOfDay, until: timeOfDay }).optional(),
    remindOtpEvery: durationFrom('1m', '4h').prefault('5m'),
    dailyReport: z.boolean().default(true),
    deadMansSwitch: z
      .strictObject({
        url: secretFrom('TICKWRIGHT_DEAD_MAN_URL'),
        every: durationFrom('10s', '1h').prefault('1m'),
        start: z.boolean().default(false),
        fail: z.boolean().default(false),
      })
      .optional(),
  })
  .prefault({});
