/** The recipes of src/operator/README.md, each on its real proxy: link, cookie, stream and command. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, until } from '../../e2e/daemon-process.ts';
import { entryAt, FakeDaemon, startFake } from './fake-cockpit.ts';

const README = join(import.meta.dirname, '..', '..', '..', 'src', 'operator', 'README.md');
const NAME = 'desk.example';

/** The block of the document that holds `word`, with the address of a cockpit of this test. */
function recipe(word: string, cockpitUrl: string): string {
  const blocks = readFileSync(README, 'utf8').split(/^```\w*$/m);
  const found = blocks.find((text, at) => at % 2 === 1 && text.includes(word));
  if (found === undefined) throw new Error(`the document has no block with ${word}`);
  return found.replace('127.0.0.1:8600', new URL(cockpitUrl).host);
}

interface Place {
  readonly dir: string;
  readonly port: number;
  readonly cert: string;
  readonly key: string;
}

interface Proxy {
  /** Word by which its recipe is found. */
  readonly word: string;
  readonly config: (recipe: string, place: Place) => string;
  readonly args: (file: string, place: Place) => readonly string[];
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    word: 'proxy_pass',
    config: (text, { dir, port, cert, key }) => {
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${dir}/${kind};`,
      );
      const server = text
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('/etc/desk/cert.pem', cert)
        .replace('/etc/desk/key.pem', key);
      return `daemon off; pid ${dir}/pid; error_log stderr; events {}\nhttp { access_log off; ${temp.join(' ')}\n${server}}\n`;
    },
    args: (file, { dir }) => ['-p', dir, '-c', file, '-e', 'stderr'],
  },
  caddy: {
    word: 'reverse_proxy',
    config: (text, { port, cert, key }) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${text.replace(`${NAME} {`, `https://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
};

function createPlace(port: number): Place {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-proxy-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const cert = join(dir, 'cert.pem');
  const key = join(dir, 'key.pem');
  const asked = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${NAME} -addext subjectAltName=DNS:${NAME}`;
  execFileSync('openssl', [...asked.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { dir, port, cert, key };
}

/** A browser of another machine: it verifies the certificate, and claims an address that is not its own. */
class Phone {
  readonly origin: string;
  readonly #place: Place;
  cookie = '';

  constructor(place: Place) {
    this.#place = place;
    this.origin = `https://${NAME}:${place.port}`;
  }

  open(path: string, method = 'GET', body?: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { port, cert } = this.#place;
      const own = { host: new URL(this.origin).host, 'sec-fetch-site': 'same-origin', cookie: this.cookie };
      const change = method === 'GET' ? {} : { origin: this.origin, 'content-type': 'application/json' };
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          servername: NAME,
          ca: readFileSync(cert),
          agent: false,
          headers: { ...own, ...change, 'x-forwarded-for': '198.51.100.7' },
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async code(path: string, method?: string, body?: object): Promise<number> {
    const answer = await this.open(path, method, body);
    answer.resume();
    return answer.statusCode ?? 0;
  }
}

const isInstalled = (name: string): boolean => spawnSync(name, ['--help']).error === undefined;

test.for(Object.entries(PROXIES))(
  '%s passes link, cookie, stream and command',
  async ([name, proxy], context) => {
    context.skip(!isInstalled(name), `apt-get install ${name} brings ${name}`);
    const daemon = new FakeDaemon();
    const cockpit = await startFake(daemon, { hosts: [NAME], isBehindProxy: true });
    onTestFinished(() => cockpit.close());
    const link = cockpit.link('steer');
    expect(link).toMatch(/^https:\/\/desk\.example\/#key=/);
    const text = recipe(proxy.word, cockpit.url);
    const place = createPlace(await freePort());
    const file = join(place.dir, 'proxy.conf');
    writeFileSync(file, proxy.config(text, place));
    const child = spawn(name, proxy.args(file, place), {
      stdio: 'ignore',
      env: { ...process.env, HOME: place.dir },
    });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await ended;
    });

    const phone = new Phone(place);
    await until(() =>
      phone.code('/').then(
        (code) => (code === 200 ? code : undefined),
        () => undefined,
      ),
    );
    expect(await phone.code('/state')).toBe(401);
    const opened = await phone.open('/session', 'POST', { secret: link.split('#key=')[1] });
    expect(opened.statusCode).toBe(200);
    const cookie = String(opened.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-tickwright_\d+=\S+; .*HttpOnly; SameSite=Strict; Secure$/);
    phone.cookie = cookie.split(';')[0] ?? '';

    const events = await phone.open('/events');
    expect(events.headers['content-type']).toMatch(/event-stream/);
    let seen = '';
    events.setEncoding('utf8').on('data', (part: string) => {
      seen += part;
    });
    await until(() => (seen.includes('event: state') ? true : undefined));
    daemon.rows.push(entryAt(1, 'while the stream is open'));
    await until(() => (seen.includes('while the stream is open') ? true : undefined));
    expect(await phone.code('/commands/halt', 'POST', { reason: 'from the phone' })).toBe(200);
    expect(daemon.commands).toMatchObject([
      ['halt', { reason: 'from the phone' }, 'the cockpit at 127.0.0.1'],
    ]);
    events.destroy();
  },
);
