/** Who may import what. An import that has no row here fails the architecture test until someone writes the row. */
export interface Row {
  /** Folders under `src` (or `*` for all of them and the strategies). A folder may always import itself. */
  readonly folders: readonly string[];
  /** npm packages and node builtins (a builtin covers its subpaths), or `*`. */
  readonly packages: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Builtins that neither touch the network nor start anything, for the rooms at the edge. */
const EDGE = [
  'node:crypto',
  'node:events',
  'node:os',
  'node:path',
  'node:perf_hooks',
  'node:timers',
  'node:url',
];

/** Rooms that a program is composed of. */
const ROOMS = words(`
  src/domain src/sqlite src/text src/wire src/engine src/engine/ports src/strategy src/venue src/broker src/simulator
  src/journal src/recording src/config src/operator strategies/catalog.ts
`);

/** A part of research that only computes. */
const made = (...folders: readonly string[]): Row => ({
  folders: ['src/domain', 'src/text', ...folders],
  packages: ['simple-statistics', 'node:fs', 'node:zlib', ...EDGE],
});

/** May import all of them, and those of the layers below that it names. */
const program = (...below: readonly string[]): Row => ({
  folders: [...ROOMS, ...below.map((folder) => `src/${folder}`)],
  packages: ['*'],
});

const RESEARCH = words('host research research/run research/statistics research/report');

const DAEMON = words(
  'host cluster daemon/restart daemon/simulator daemon/edge daemon/inspect daemon/session',
);

export const ALLOW_LIST: Readonly<Record<string, Row>> = {
  'src/domain': { folders: [], packages: [] },
  'src/sqlite': { folders: [], packages: ['better-sqlite3', 'node:module', 'node:worker_threads'] },
  'src/text': { folders: ['src/domain'], packages: [] },
  'src/wire': { folders: ['src/domain'], packages: ['rxjs', 'zod'] },
  'src/engine/ports': { folders: ['src/domain'], packages: [] },
  'src/engine': { folders: ['src/domain', 'src/engine/ports'], packages: [] },
  'src/strategy': {
    folders: ['src/domain', 'src/engine/ports'],
    packages: ['rxjs', 'zod', 'trading-signals'],
  },
  'src/venue': { folders: ['src/domain'], packages: [] },
  'src/broker': {
    folders: ['src/domain', 'src/wire', 'src/engine/ports'],
    packages: ['ws', 'undici', 'rxjs', 'node:fs', 'node:child_process', ...EDGE],
  },
  'src/simulator': {
    folders: ['src/domain', 'src/sqlite', 'src/wire', 'src/venue', 'src/recording'],
    packages: ['fastify', 'ws', 'zod', 'node:fs', 'node:http', 'node:stream', ...EDGE],
  },
  'src/journal': {
    folders: ['src/domain', 'src/engine/ports', 'src/sqlite'],
    packages: ['node:fs', 'node:zlib', ...EDGE],
  },
  'src/recording': {
    folders: ['src/domain', 'src/wire', 'src/text'],
    // The Parquet writer is for exports alone: what we read ourselves are Arrow files.
    packages: [
      'apache-arrow',
      'hyparquet-writer',
      'node:fs',
      'node:readline',
      'node:stream',
      'node:zlib',
      ...EDGE,
    ],
  },
  'src/config': {
    folders: ['src/domain', 'src/text'],
    packages: ['yaml', 'zod', 'node:fs', 'node:path', 'node:url'],
  },
  'src/operator': {
    folders: ['src/domain', 'src/text', 'src/engine/ports'],
    packages: [
      'pino',
      'prom-client',
      'fastify',
      'nodemailer',
      'undici',
      'zod',
      'node:fs',
      'node:http',
      'node:net',
      ...EDGE,
    ],
  },
  // Runs in a browser: from the rooms that make its data it takes what needs no builtin, which its own compilation proves.
  'src/page': {
    folders: ['src/domain', 'src/text', 'src/research/report', 'src/operator'],
    packages: ['preact', '@preact/signals', 'lightweight-charts'],
  },
  // The clients are loaded where a server is named, and nowhere else.
  'src/cluster': {
    folders: ['src/domain', 'src/text', 'src/engine/ports', 'src/wire', 'src/recording'],
    packages: ['@nats-io/transport-node', '@nats-io/jetstream', 'node:fs', ...EDGE],
  },
  'src/host': program('cluster'),
  // A plan, its run, figures and report only compute: they know no file and no configuration.
  'src/research': made(
    'src/venue',
    'src/engine',
    'src/engine/ports',
    'src/strategy',
    'src/recording',
    'src/research/run',
    'src/research/statistics',
  ),
  'src/research/statistics': made('src/strategy', 'src/venue', 'src/research'),
  'src/research/run': made(
    'src/engine',
    'src/engine/ports',
    'src/strategy',
    'src/venue',
    'src/recording',
    'src/research',
    'src/research/statistics',
  ),
  'src/research/report': made('src/engine/ports', 'src/research', 'src/research/statistics'),
  'src/research/recorded': program('host'),
  'src/research/agreement': program(...words('host research research/run research/recorded')),
  'src/research/spec': program(...RESEARCH, 'research/recorded'),
  'src/research/backtest': program(...RESEARCH, 'research/spec', 'research/recorded'),
  'src/research/sweep': program(...RESEARCH, 'research/spec', 'research/backtest'),
  'src/cluster/searches': program(...RESEARCH, 'research/spec', 'research/sweep', 'cluster'),
  'src/daemon/restart': program('host'),
  'src/daemon/simulator': program('host', 'cluster', 'daemon/restart'),
  'src/daemon/edge': program('host', 'daemon/restart', 'daemon/simulator'),
  'src/daemon/inspect': program('host', 'research/report', 'daemon/restart', 'daemon/edge'),
  'src/daemon/session': program('host', 'cluster', 'daemon/restart', 'daemon/simulator', 'daemon/edge'),
  'src/daemon': program(...DAEMON),
  // A daemon as a program: its control API, page, screen, metrics, phone and archive.
  'src/daemon/program': program(...DAEMON, 'daemon', 'research/recorded'),
  'src/cli': {
    folders: words(`
      src/host src/daemon src/daemon/restart src/daemon/simulator src/daemon/edge src/daemon/inspect src/daemon/program
      src/research src/research/spec src/research/backtest src/research/sweep src/research/agreement src/research/recorded
      src/research/report src/cluster src/cluster/searches src/config src/domain src/text
    `),
    packages: ['@clack/prompts', 'commander', 'undici', 'node:*'],
  },
  'strategies/catalog.ts': { folders: ['src/strategy', 'strategies'], packages: [] },
  strategies: { folders: ['src/strategy', 'src/domain'], packages: ['rxjs', 'zod', 'trading-signals'] },
};

/** No clock, no randomness, no I/O, no `async`: what these need comes in as an argument or a port. */
export const PURE_FOLDERS: readonly string[] = [
  'src/domain',
  'src/text',
  'src/wire',
  'src/engine/ports',
  'src/engine',
  'src/venue',
  'src/strategy',
  'strategies',
];

/** Globals that are a clock, chance, input or output, or a way around this list. */
export const IMPURE_GLOBALS: ReadonlySet<string> = new Set(
  words(`
    Date performance process console fetch crypto WebSocket EventSource
    setTimeout setInterval setImmediate queueMicrotask Worker
    globalThis global eval Function require
  `),
);

/** The broker's spellings. They stop at `src/wire`: everyone else speaks the words of `src/domain`. */
export const BROKER_WORDS: ReadonlySet<string> = new Set(
  words(`
    matchQtty matchPrice matchVolume showPrice pk_orderNo pkOrderNo subAccountID
    unrelizeVM soPrice nvol nprice callbackPoint msg_type cashavaiwithdraw feePos
    ceilPrice floorPrice refPrice totalVol openVol imValue vmValue mrValue
    pc_remain duedate closeVM closePC feeMan PageSize oID rc SOL SOU TSO
  `),
);

/** The ladder of prices: `bidPrice01`, `offerQtty03`. */
export const BROKER_LADDER = /^(?:bid|offer)(?:Price|Qtty)\d\d$/;

export const TOP_LEVEL: readonly string[] = words(`
    src strategies config test data package.json package-lock.json tsconfig.json
    README.md CHANGELOG.md LICENSE ecosystem.config.cjs
  `);

/** Produced by tools, named in `.gitignore`. */
export const TOP_LEVEL_PRODUCED: readonly string[] = ['node_modules', 'dist', 'var', 'coverage'];
