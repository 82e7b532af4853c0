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

/** Folders of `src/app`, lowest first: each may import only those that its row names, all of them before it. */
const APP = words('host restart simulator edge manual inspect research record live').map(
  (folder) => `src/app/${folder}`,
);

/** Rooms that a program is composed of. */
const ROOMS = words(`
  src/domain src/sqlite src/text src/wire src/engine src/engine/ports src/strategy src/venue src/broker src/simulator
  src/journal src/recording src/backtest src/config src/operator strategies/catalog.ts
`);

const program = (...shared: readonly string[]): Row => ({
  folders: [...ROOMS, ...shared.map((folder) => `src/app/${folder}`)],
  packages: ['*'],
});

export const ALLOW_LIST: Readonly<Record<string, Row>> = {
  'src/domain': { folders: [], packages: [] },
  'src/sqlite': { folders: [], packages: ['better-sqlite3', 'node:module'] },
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
    packages: ['fastify', 'ws', 'node:fs', 'node:http', 'node:stream', ...EDGE],
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
  'src/backtest': {
    folders: [
      'src/domain',
      'src/text',
      'src/engine',
      'src/engine/ports',
      'src/strategy',
      'src/venue',
      'src/recording',
      'src/journal',
    ],
    packages: ['simple-statistics', 'node:fs', 'node:worker_threads', 'node:zlib', ...EDGE],
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
      'node:fs',
      'node:http',
      'node:net',
      ...EDGE,
    ],
  },
  // Runs in a browser: from the rooms that make its data it takes types alone, which its own compilation proves.
  'src/page': {
    folders: ['src/domain', 'src/text', 'src/backtest', 'src/operator'],
    packages: ['preact', '@preact/signals', 'lightweight-charts'],
  },
  'src/app/host': program(),
  'src/app/restart': program('host'),
  'src/app/simulator': program('host', 'restart'),
  'src/app/edge': program('host', 'restart', 'simulator'),
  'src/app/manual': program('host', 'restart', 'simulator', 'edge'),
  'src/app/inspect': program('host', 'restart', 'edge'),
  'src/app/research': program('host', 'restart', 'inspect'),
  'src/app/record': program('host', 'restart', 'simulator', 'edge', 'inspect', 'research'),
  'src/app/live': program('host', 'restart', 'simulator', 'edge', 'inspect', 'record'),
  'src/cli': {
    folders: [...APP, 'src/config', 'src/domain', 'src/text'],
    packages: ['commander', 'node:*'],
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
