/**
 * `npm run reach`: what a page and channels cost a daemon that trades. Pairs of rounds in turn: one without a page and channels, one with
 * an open page, and with Telegram, mail and a webhook that answer 429, 451, 503 or never. Prints ratios of tick-to-order and of the
 * main thread's time a frame. `--help` shows its options.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import type { ClockMap } from '../../../src/domain/clock.ts';
import { commandOptions } from '../../support/command-options.ts';
import { Browser, stream } from '../../operator/cockpit/fake-cockpit.ts';
import { BOT_TOKEN, BotApi } from '../../operator/support/bot-api.ts';
import { Mailbox } from '../../operator/support/mailbox.ts';
import { spread } from './load-report.ts';
import type { FromReachDaemon, ReachMeasured, ReachTask } from './reach-daemon.ts';
import { customers, startProgram } from './simulator-program.ts';

const yaml = (operator: string): string => `
mode: paper
market: ${resolve('config/vn30f.yaml')}
simulator: { cash: 5000000000 }
broker: { requestsPerSecond: 50 }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, messagesPerMinuteMax: 6000, dailyLossMax: 2000000000 }
strategies:
  - id: flooded
    strategy: flooded
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 40, dailyLossMax: 2000000000, openOrdersMax: 40 }
    params: { burnUs: 0, restMs: 100 }
${operator}`;

const ALONE = 'operator: { cockpit: { enabled: false } }\n';

/** The operator's channels, each of which fails in its own way. */
async function startChannels() {
  const bot = await BotApi.start();
  bot.down.set('sendMessage', { status: 429, retryAfter: 1 });
  const mailbox = await Mailbox.start();
  mailbox.refuses = 451;
  let asked = 0;
  const hook = createServer((_request, response) => {
    asked += 1;
    // Each third one gets no answer.
    if (asked % 3 !== 0) response.writeHead(503).end();
  });
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done));
  const { port } = hook.address() as AddressInfo;
  process.env['TICKWRIGHT_TELEGRAM_TOKEN'] = BOT_TOKEN;
  process.env['TICKWRIGHT_SMTP_PASSWORD'] = 'right';
  process.env['TICKWRIGHT_WEBHOOK_URL'] = `http://127.0.0.1:${port}/`;
  return {
    settings: `alerts:
  channels:
    - { id: phone, kind: telegram, chat: 1, users: [1], perMinute: 60, apiUrl: ${bot.url} }
    - { id: mail, kind: email, host: 127.0.0.1, port: ${mailbox.port}, user: me, from: a@b.c, to: [d@e.f], perMinute: 60 }
    - { id: hook, kind: webhook, preset: ntfy, perMinute: 60 }
`,
    asked: () => asked,
    close: async () => {
      hook.closeAllConnections();
      hook.close();
      await Promise.all([bot.close(), mailbox.close()]);
    },
  };
}

async function openPage(link: string): Promise<void> {
  const browser = new Browser(new URL(link).origin);
  await browser.open(link);
  await stream(browser, () => false);
}

function round(task: ReachTask): Promise<ReachMeasured> {
  const child = fork(join(import.meta.dirname, 'reach-daemon.js'), [JSON.stringify(task)]);
  return new Promise((done, failed) => {
    let measured: ReachMeasured | undefined;
    child.on('message', (message: FromReachDaemon) => {
      if (message.kind === 'measured') measured = message.measured;
      else openPage(message.link).catch(() => undefined);
    });
    child.once('exit', (code) => {
      if (measured === undefined) failed(new Error(`a daemon ended with ${code}`));
      else done(measured);
    });
  });
}

const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? NaN;

class Side {
  readonly name: string;
  readonly samples: number[] = [];
  #mainMs = 0;
  #frames = 0;

  constructor(name: string) {
    this.name = name;
  }

  add({ tickToOrderUs, mainMs, frames }: ReachMeasured): void {
    this.samples.push(...tickToOrderUs);
    this.#mainMs += mainMs;
    this.#frames += frames;
  }

  get usAFrame(): number {
    return (this.#mainMs * 1_000) / this.#frames;
  }

  get text(): string {
    const orders = `${this.samples.length} orders, tick to order ${spread(this.samples.map((us) => us / 1_000))}`;
    return `${this.name.padEnd(24)}${orders}; main thread ${this.usAFrame.toFixed(1)} us a frame of ${this.#frames}`;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const values = commandOptions('reach', 'what a page and channels cost a daemon that trades', {
  pairs: { type: 'string', default: '5', help: 'of rounds' },
  seconds: { type: 'string', default: '10', help: 'of a round' },
  speed: { type: 'string', default: '20', help: 'market seconds per second' },
});
const [pairs, seconds, speed] = [Number(values.pairs), Number(values.seconds), Number(values.speed)];
mkdirSync('var', { recursive: true });
const scratch = mkdtempSync(join('var', 'reach-'));
say(`${cpus()[0]?.model ?? 'unknown processor'}, node ${process.version}, load ${loadavg()[0]?.toFixed(2)}`);
const accounts = customers(2 * pairs);
const program = await startProgram(scratch, accounts, { seed: 1, speed });
const channels = await startChannels();
const [alone, reached] = [new Side('without'), new Side('page and channels')];
try {
  const { control, controlToken, rest, stream: streamUrl } = program.description;
  const headers = { authorization: `Bearer ${controlToken}` };
  const { map } = (await (await fetch(`${control}/clock`, { headers })).json()) as { map: ClockMap };
  for (const [place, customer] of accounts.entries()) {
    const isReached = place % 2 === 1;
    const config = join(scratch, `${place}.yaml`);
    writeFileSync(config, yaml(isReached ? channels.settings : ALONE));
    const stateDir = join(scratch, `daemon-${place}`);
    const broker = { rest, stream: streamUrl };
    (isReached ? reached : alone).add(
      await round({ config, stateDir, broker, customer, clockMap: map, seconds, isReached }),
    );
  }
  say(alone.text);
  say(reached.text);
  const ratio = (part: number): string => (at(reached.samples, part) / at(alone.samples, part)).toFixed(2);
  say(
    `with / without: p50 x ${ratio(0.5)}, p99 x ${ratio(0.99)}, main thread a frame x ${(reached.usAFrame / alone.usAFrame).toFixed(2)}; the webhook was asked ${channels.asked()} times`,
  );
} finally {
  await program.end();
  await channels.close();
  rmSync(scratch, { recursive: true });
}
process.exit();
