/** The real Prometheus on a paper daemon: its rules, every expression of the dashboard, and an alert that fires. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { BUSY_CONFIG } from './busy-config.ts';
import { freePort, setFault, startDaemon, until, workplace } from './daemon-process.ts';

const CONFIG = join(import.meta.dirname, '..', '..', 'config', 'prometheus');
const RULES = join(CONFIG, 'rules.yml');

const isInstalled = ['prometheus', 'promtool'].every(
  (name) => spawnSync(name, ['--version']).error === undefined,
);

/** Its complaint; empty when it has none. */
function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

const scratch = (): string => mkdtempSync(join(tmpdir(), 'tickwright-prometheus-'));

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const dashboardExpressions = (): readonly string[] => {
  const dashboard: Dashboard = JSON.parse(readFileSync(join(CONFIG, 'dashboard.json'), 'utf8'));
  return dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
};

const ruleExpressions = (): readonly string[] => {
  const file: { groups: { rules: { expr: string }[] }[] } = parse(readFileSync(RULES, 'utf8'));
  return file.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
};

test('rules are right, alert when they should, and the example is one that Prometheus takes', (context) => {
  context.skip(!isInstalled, 'apt-get install prometheus brings prometheus and promtool');
  expect(promtool('check', 'rules', RULES)).toBe('');
  expect(promtool('check', 'config', join(CONFIG, 'prometheus.yml'))).toBe('');
  const file = join(scratch(), 'tests.yml');
  const tests = readFileSync(join(import.meta.dirname, 'prometheus-rules.yml'), 'utf8');
  writeFileSync(file, `rule_files: [${RULES}]\n${tests}`);
  expect(promtool('test', 'rules', file)).toBe('');
});

test('every expression of the dashboard is one of Prometheus', (context) => {
  context.skip(!isInstalled, 'apt-get install prometheus brings prometheus and promtool');
  const rules = dashboardExpressions().map((expr, at) => ({ record: `dashboard:expression_${at}`, expr }));
  expect(rules.length).toBeGreaterThan(20);
  const file = join(scratch(), 'dashboard.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool('check', 'rules', file)).toBe('');
});

/** Prometheus with our rules, which wait no longer than a second. */
async function startPrometheus(target: string) {
  const dir = scratch();
  const port = await freePort();
  const rules = readFileSync(RULES, 'utf8').replaceAll(/for: \d+[smh]/g, 'for: 1s');
  writeFileSync(join(dir, 'rules.yml'), rules);
  const scrape = { job_name: 'tickwright', static_configs: [{ targets: [target] }] };
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [scrape],
  };
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ask = async (
    path: string,
  ): Promise<{ data: { result?: unknown[]; alerts?: Alert[] } } | undefined> => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    return reply?.ok === true ? ((await reply.json()) as { data: object }) : undefined;
  };
  return {
    firing: async (): Promise<readonly string[]> =>
      ((await ask('/api/v1/alerts'))?.data.alerts ?? [])
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels['alertname'] ?? ''),
    results: async (expr: string): Promise<number> =>
      (await ask(`/api/v1/query?query=${encodeURIComponent(expr)}`))?.data.result?.length ?? 0,
    end: async (): Promise<void> => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Names of series that exist only while something is wrong, or once it was. */
const RARE = /tickwright_(denials_total|channel_\w+)|status="(rejected|unknown)|unknown\|presumed/;

test(
  'Prometheus scrapes a daemon, whose series feed every panel, and a feed that goes stale becomes an alert',
  { timeout: 300_000 },
  async (context) => {
    context.skip(!isInstalled, 'apt-get install prometheus brings prometheus and promtool');
    const place = workplace(`${BUSY_CONFIG}operator: { metrics: { port: 0 } }\n`);
    const daemon = startDaemon(place);
    const url = new URL((await daemon.line(/metrics: http/)).replace(/.*metrics: /, ''));
    await daemon.line(/filled/);
    const prometheus = await startPrometheus(url.host);
    try {
      await until(async () =>
        (await prometheus.results('rate(tickwright_frames_total[1m]) > 0')) > 0 ? true : undefined,
      );
      for (const expr of dashboardExpressions().filter((each) => !RARE.test(each)))
        await until(
          async () => ((await prometheus.results(expr)) > 0 ? true : undefined),
          () => `no result: ${expr}`,
        );
      const names = [...dashboardExpressions(), ...ruleExpressions()].flatMap(
        (expr) => expr.match(/tickwright_\w+/g) ?? [],
      );
      const exposed = await (await fetch(url)).text();
      for (const name of new Set(names)) expect(exposed, name).toContain(name);
      expect(await prometheus.firing()).not.toContain('TickwrightFeedStale');

      await setFault(place, { name: 'lose_frame' });
      await until(async () =>
        (await prometheus.firing()).includes('TickwrightFeedStale') ? true : undefined,
      );

      expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
      await until(async () =>
        (await prometheus.firing()).includes('TickwrightNotScraped') ? true : undefined,
      );
    } finally {
      await prometheus.end();
      // A clean end takes the simulator along.
      if (daemon.process.exitCode === null) await daemon.end('SIGINT');
    }
  },
);
