/** Reads the configuration whole: either everything is right, or every problem is reported and nothing starts. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { alwaysOpen, type TradingCalendar } from '../domain/calendar.ts';
import type { Config } from './config.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import { calendarOf, closuresSchema, contractsOf, costsOf, marketSchema } from './market-schema.ts';
import { modeProblems } from './mode-rules.ts';
import type { Problem } from './problem.ts';
import { engineSettingsOf } from './settings-of.ts';
import { type Catalog, readStrategies } from './strategy-entries.ts';
import { YamlSource } from './yaml-source.ts';

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Read<T> = { readonly source: YamlSource; readonly value: T } | { readonly problems: readonly Problem[] };

export function loadConfig(file: string, catalog: Catalog): LoadedConfig {
  const main = readFile(file, configSchema);
  if ('problems' in main) return { ok: false, problems: main.problems };
  const market = readNamed(main.source, ['market'], main.value.market, marketSchema);
  const strategies = readStrategies(main.source, main.value, catalog);
  const problems = [...strategies.problems, ...modeProblems(main.source, main.value)];
  if ('problems' in market) return { ok: false, problems: [...problems, ...market.problems] };
  const closures = readNamed(
    market.source,
    ['calendar', 'closures'],
    market.value.calendar.closures,
    closuresSchema,
  );
  if ('problems' in closures) problems.push(...closures.problems);
  if (problems.length > 0 || 'problems' in closures) return { ok: false, problems };
  const exchange = calendarOf(market.value, closures.value);
  const config: Config = {
    ...sections(file, main.value),
    calendar: hoursOf(main.value, exchange),
    exchangeCalendar: exchange,
    contracts: contractsOf(market.value),
    costs: costsOf(market.value),
    strategies: strategies.entries,
  };
  return { ok: true, config };
}

function readFile<T extends z.ZodType>(file: string, schema: T): Read<z.output<T>> {
  const read = YamlSource.read(file);
  if ('problems' in read) return read;
  const { source } = read;
  const result = schema.safeParse(source.value());
  if (result.success) return { source, value: result.data };
  return { problems: result.error.issues.flatMap((issue) => source.problemsOf(issue, schema)) };
}

/** A file that another one names, beside it; when it is not there, the place that names it is the problem. */
function readNamed<T extends z.ZodType>(
  parent: YamlSource,
  path: readonly string[],
  name: string,
  schema: T,
): Read<z.output<T>> {
  const file = join(dirname(parent.file), name);
  if (existsSync(file)) return readFile(file, schema);
  return { problems: [parent.problem(path, 'the name of a file beside this one', `there is no ${file}`)] };
}

/** Only the simulator can be open at any hour. */
function hoursOf(file: ConfigFile, exchange: TradingCalendar): TradingCalendar {
  const open =
    file.mode === 'paper' && file.simulator.hours === 'always_open' && file.simulator.tape === undefined;
  return open ? alwaysOpen(exchange) : exchange;
}

function sections(
  file: string,
  read: ConfigFile,
): Omit<Config, 'calendar' | 'exchangeCalendar' | 'contracts' | 'costs' | 'strategies'> {
  const { auth, broker, session } = read;
  const otp =
    auth.otp ?? (read.mode === 'paper' ? { from: 'simulator' as const } : { from: 'prompt' as const });
  const { from: kind, ...rest } = otp;
  return {
    file,
    mode: read.mode,
    stateDir: read.state,
    account: read.account ?? null,
    auth: {
      otp: { kind, ...rest } as Config['auth']['otp'], // oxlint-disable-line typescript/no-unsafe-type-assertion -- renames the tag
      otpRoute: auth.otpRoute,
      apiKeyEnvironment: auth.apiKeyEnvironment,
      apiKeyFile: auth.apiKeyFile ?? null,
    },
    broker: { ...broker, restUrl: broker.restUrl ?? null, streamUrl: broker.streamUrl ?? null },
    live: read.live,
    money: read.money ?? null,
    simulator: { ...read.simulator, tape: read.simulator.tape ?? null },
    engine: engineSettingsOf(read),
    schedule: {
      tokenRefresh: session.tokenRefresh,
      tokenRefreshBefore: session.tokenRefreshBefore,
      rollover: session.rollover,
    },
    operator: read.operator,
  };
}
