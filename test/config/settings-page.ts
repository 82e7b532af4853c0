/** Tables of settings, made of the schemas: a row a key, with its default, its values and its meaning. */
import { z } from 'zod';
import { formatNumber } from '../../src/text/numbers.ts';
import { wrapText } from '../../src/text/table.ts';

type Schema = z.core.JSONSchema.BaseSchema;

export interface Setting {
  readonly key: string;
  readonly standard: string;
  readonly values: string;
  readonly meaning: string;
}

const ROW_MAX = 140;
/** Bars and spaces of a row of four cells. */
const BARS = 13;
const VALUES_MAX = 28;
const SAFE_MAX = Number.MAX_SAFE_INTEGER;

/** Every key of a schema, in its order; those below `sameAs` have their rows elsewhere. */
export function settingsOf(
  schema: z.ZodType,
  prefix = '',
  sameAs: readonly string[] = [],
): readonly Setting[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  return [...inside(json, prefix, sameAs)];
}

function* inside(schema: Schema, path: string, sameAs: readonly string[]): Generator<Setting> {
  if (sameAs.includes(path) || schema['unit'] !== undefined) return;
  if (schema.oneOf !== undefined) yield* variants(schema.oneOf.filter(isSchema), path, sameAs);
  for (const [name, child] of childrenOf(schema))
    yield* setting(child, path === '' ? name : `${path}.${name}`, schema, '', sameAs);
  if (isSchema(schema.items)) yield* inside(schema.items, `${path}[]`, sameAs);
  if (isSchema(schema.additionalProperties))
    yield* inside(schema.additionalProperties, `${path}.NAME`, sameAs);
}

function* setting(
  schema: Schema,
  key: string,
  parent: Schema,
  only: string,
  sameAs: readonly string[],
): Generator<Setting> {
  const below = [...inside(schema, key, sameAs)];
  const isNeeded = parent.required?.includes(key.slice(key.lastIndexOf('.') + 1)) ?? false;
  if (schema.description !== undefined || below.length === 0)
    yield {
      key,
      standard: standardOf(schema, isNeeded),
      values: below.length > 0 ? '' : valuesOf(schema),
      meaning: `${only}${schema.description ?? ''}`,
    };
  yield* below;
}

/** Keys that all variants have come once; others begin with the variants that have them. */
function* variants(all: readonly Schema[], path: string, sameAs: readonly string[]): Generator<Setting> {
  const constants = childrenOf(all[0] ?? {}).filter(([, each]) => each.const !== undefined);
  const [tag = ''] = constants[0] ?? [];
  const nameOf = (variant: Schema): string => String(new Map(childrenOf(variant)).get(tag)?.const);
  yield {
    key: `${path}.${tag}`,
    standard: 'needed',
    values: all.map(nameOf).join(', '),
    meaning: 'Its kind',
  };
  const first = childrenOf(all[0] ?? {}).map(([key]) => key);
  const common = first.filter((key) => all.every(({ properties = {} }) => Object.hasOwn(properties, key)));
  for (const [at, variant] of all.entries()) {
    for (const [key, child] of childrenOf(variant)) {
      const isCommon = common.includes(key);
      if (key === tag || (isCommon && at > 0)) continue;
      yield* setting(child, `${path}.${key}`, variant, isCommon ? '' : `${nameOf(variant)}: `, sameAs);
    }
  }
}

const childrenOf = ({ properties = {} }: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(properties).flatMap(([key, child]) => (isSchema(child) ? [[key, child] as const] : []));

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

function standardOf(schema: Schema, isNeeded: boolean): string {
  const environment = schema['unit'] === undefined ? undefined : schema.properties?.['environment'];
  const value = isSchema(environment) ? environment.default : schema.default;
  if (value === undefined) return isNeeded ? 'needed' : 'not set';
  if (typeof value === 'number') return formatNumber(value);
  return `\`${Array.isArray(value) ? `[${value.map(written).join(', ')}]` : typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

const written = (item: unknown): string =>
  /^[a-z]+$/.test(String(item)) ? String(item) : `'${String(item)}'`;

function valuesOf(schema: Schema): string {
  const unit = typeof schema['unit'] === 'string' ? schema['unit'] : '';
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.const !== undefined) return String(schema.const);
  if (schema.type === 'boolean') return 'true, false';
  if (schema.type === 'array') return 'list';
  if (schema.type === 'integer' || schema.type === 'number')
    return unit === 'VND' || unit === 'contracts' ? unit : `${boundsOf(schema)} ${unit}`.trim();
  if (unit !== '') return unit;
  return schema.type === 'object' ? 'section' : 'text';
}

function boundsOf({ minimum, maximum, exclusiveMinimum: above }: Schema): string {
  const most = maximum === undefined || maximum === SAFE_MAX ? undefined : formatNumber(maximum);
  if (above !== undefined) return most === undefined ? `above ${above}` : `above ${above}, to ${most}`;
  if (minimum === undefined || minimum === -SAFE_MAX) return most === undefined ? 'number' : `to ${most}`;
  return most === undefined ? `${minimum} or more` : `${minimum} to ${most}`;
}

const widthOf = (cells: readonly string[]): number => Math.max(...cells.map((cell) => cell.length));

/** A table whose rows fit; long lists of values, and what a meaning says after its first sentence, come below it. */
export function tableOf(settings: readonly Setting[]): readonly string[] {
  const columns = [
    ['key', ...settings.map(({ key }) => `\`${key}\``)],
    ['default', ...settings.map(({ standard }) => standard)],
    ['values', ...settings.map(({ values }) => (values.length <= VALUES_MAX ? values : 'below'))],
  ];
  const room = columns.reduce((left, cells) => left - widthOf(cells), ROW_MAX - BARS);
  const shortOf = (meaning: string): string => (meaning.length <= room ? meaning : firstOf(meaning));
  columns.push(['meaning', ...settings.map(({ meaning }) => shortOf(meaning))]);
  const rowOf = (cellOf: (cells: readonly string[]) => string, fill: string): string =>
    `| ${columns.map((cells) => cellOf(cells).padEnd(widthOf(cells), fill)).join(' | ')} |`;
  const below = settings.flatMap(({ key, values, meaning }) => {
    const more = meaning.slice(shortOf(meaning).length + 2);
    const text = [values.length <= VALUES_MAX ? '' : `${values}.`, more]
      .filter((each) => each !== '')
      .join(' ');
    return text === ''
      ? []
      : wrapText(`- \`${key}\`: ${text}`, ROW_MAX - 2).map((each, at) => (at === 0 ? each : `  ${each}`));
  });
  return [
    rowOf(([head]) => head!, ' '),
    rowOf(() => '', '-'),
    ...settings.map((_, at) => rowOf((cells) => cells[at + 1]!, ' ')),
    ...(below.length === 0 ? [] : ['', ...below]),
  ];
}

const firstOf = (meaning: string): string => /^(.*?)\.(?= [A-Z`])/.exec(meaning)?.[1] ?? meaning;
