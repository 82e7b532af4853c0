/** `tickwright broker` in process, with a paper daemon's link in a state directory: to a scripted broker, or to the simulator. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatorLink } from '../../../src/daemon/simulator/embedded-simulator.ts';
import { addBrokerCommands } from '../../../src/cli/broker/broker-commands.ts';
import type { Ask } from '../../../src/cli/broker/broker-session.ts';
import { CliFailure, EXIT } from '../../../src/cli/cli-io.ts';
import { tsUs } from '../../../src/domain/units.ts';
import { type InstanceLock, takeInstanceLock } from '../../../src/journal/instance-lock.ts';
import { Command, CommanderError } from 'commander';
import { type Exchange, type ScriptedHttp, startScriptedHttp } from '../../broker/support/scripted-http.ts';
import { createJwt } from '../../broker/support/tokens.ts';
import { goldenAnswer } from '../../wire/support/golden.ts';

export const ACCOUNT = '105C123456';
export const SUB_ACCOUNT = '105C123456A';
const FAR_AWAY = tsUs(9_000_000_000_000_000);

/** The golden answer to each path. */
const ANSWERS: readonly (readonly [RegExp, string])[] = [
  [/get-profile/, 'profile'],
  [/account\/status/, 'account-status'],
  [/portfolio\/status/, 'open-positions'],
  [/position\/close/, 'closed-positions'],
  [/order\/in-day/, 'in-day'],
  [/condition\/detail/, 'conditions'],
  [/condition\/place/, 'condition-place'],
  [/condition\/change/, 'condition-change'],
  [/condition\/cancel/, 'condition-cancel'],
  [/order\/place/, 'place'],
  [/order\/change/, 'change'],
  [/order\/cancel/, 'cancel'],
  [/tartarus/, 'derivatives'],
  [/derivatives\/contracts/, 'contracts'],
  [/cash\/deposit/, 'deposit'],
  [/cash\/withdraw/, 'withdraw'],
  [/stock\/transfer/, 'transfer'],
  [/\/se$/, 'stock-assets'],
  [/cancel-orders/, 'cancel-stock-orders'],
  [/cashInvestments/, 'cash-balance'],
  [/addons\/detail/, 'loan-packages'],
];

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What of the link a call by hand reads. */
export type Link = Pick<SimulatorLink, 'rest' | 'stream' | 'apiKey' | 'otp' | 'custodyCode' | 'subAccountId'>;

export class BrokerState {
  readonly dir = mkdtempSync(join(tmpdir(), 'tickwright-broker-'));
  /** The text of closures.json; null: those of the program. */
  closures: string | null = null;
  /** Held while the embedded broker runs. */
  readonly #lock: InstanceLock;

  constructor(link: Link) {
    this.#lock = takeInstanceLock(join(this.dir, 'simulator.lock'), process.pid);
    writeFileSync(join(this.dir, 'simulator.json'), JSON.stringify(link));
    // The configuration is in the same directory.
    writeFileSync(join(this.dir, '.tickwright'), '');
  }

  config(extra: string): string {
    const file = join(this.dir, 'main.yaml');
    const market = join(import.meta.dirname, '../../../config/vn30f.yaml');
    const closures = join(import.meta.dirname, '../../../config/closures.json');
    writeFileSync(join(this.dir, 'vn30f.yaml'), readFileSync(market));
    writeFileSync(join(this.dir, 'closures.json'), this.closures ?? readFileSync(closures));
    writeFileSync(
      file,
      `state: ${this.dir}
market: vn30f.yaml
strategies:
  - { id: one, strategy: ema-cross, symbols: [VN30F1M], params: { fast: 3, slow: 7 } }
${extra}`,
    );
    return file;
  }

  /** `line` is what follows `tickwright broker`. */
  async run(line: string, options: { readonly extra?: string; readonly ask?: Ask } = {}): Promise<Said> {
    const file = this.config(options.extra ?? 'mode: paper\n');
    let [code, out, err] = [0, '', ''];
    const program = new Command('tickwright').exitOverride().configureOutput({
      writeOut: (text) => (out += text),
      writeErr: (text) => (err += text),
    });
    const io = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    addBrokerCommands(program, { io, finish: (exit) => (code = exit) }, options.ask);
    try {
      await program.parseAsync(['broker', ...line.split(' '), '--config', file], { from: 'user' });
    } catch (error) {
      if (error instanceof CliFailure) return { code: error.exitCode, out, err: `${err}${error.message}` };
      if (error instanceof CommanderError) return { code: EXIT.usage, out, err };
      throw error;
    }
    return { code, out, err };
  }

  stopBroker(): void {
    this.#lock.release();
  }

  remove(): void {
    this.#lock.release();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Against a broker that gives the golden answers. */
export class BrokerShell extends BrokerState {
  readonly server: ScriptedHttp;

  private constructor(server: ScriptedHttp) {
    super({
      rest: server.baseUrl,
      stream: 'ws://127.0.0.1:1/',
      apiKey: 'demo-key',
      otp: '123456',
      custodyCode: ACCOUNT,
      subAccountId: SUB_ACCOUNT,
    });
    this.server = server;
    server.handle((exchange) => this.answer(exchange));
  }

  static async open(): Promise<BrokerShell> {
    return new BrokerShell(await startScriptedHttp());
  }

  answer(exchange: Exchange): void {
    const { pathname } = exchange.url;
    if (pathname.endsWith('/request-otp')) return exchange.reply(200, { otpId: 'id-1' });
    if (pathname.endsWith('/token')) return exchange.reply(200, { token: createJwt(FAR_AWAY) });
    const name = ANSWERS.find(([path]) => path.test(pathname))?.[1];
    if (name === undefined) return exchange.reply(404, {});
    return exchange.reply(200, goldenAnswer(name));
  }

  /** What reached the broker, the token calls apart. */
  sent(): string[] {
    return this.server.exchanges
      .filter(({ url }) => !url.pathname.includes('/oauth2/'))
      .map(({ method, url }) => `${method} ${url.pathname}`);
  }

  /** The lines of the log of calls. */
  log(): unknown[] {
    return readFileSync(join(this.dir, 'calls.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  bodyOf(path: string): unknown {
    const found = this.server.exchanges.findLast(({ url }) => url.pathname.endsWith(path));
    return found === undefined ? undefined : (JSON.parse(found.body) as unknown);
  }

  async close(): Promise<void> {
    await this.server.close();
    this.remove();
  }
}
