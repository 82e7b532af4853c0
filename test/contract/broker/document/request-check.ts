/** Compares what a client sent with the document's table. */
import type { Json } from './answer-check.ts';
import type { Operation, RequestField } from './operation.ts';

/** One request as it was on the wire, with the answer to it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed; undefined when there was none. */
  readonly body: Json | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  readonly answer: Json;
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);

export const isOf = ({ method, path }: Operation, exchange: Exchange): boolean =>
  exchange.method === method && patternOf(path).test(exchange.path);

/** Query parameters are all strings, a number among them is its text (contract, 4). */
function isOfType(value: unknown, { place, type }: RequestField): boolean {
  if (place !== 'body') return typeof value === 'string' && (type !== 'number' || /^\d+$/.test(value));
  if (type === 'array') return Array.isArray(value);
  if (type === 'int64') return Number.isSafeInteger(value);
  return typeof value === type;
}

/** What is wrong with a request, empty when nothing is. */
export function requestDeviations(operation: Operation, exchange: Exchange): string[] {
  const { asks, isOpen, method } = operation;
  const { query, body = {}, headers } = exchange;
  const pathNames = asks.filter(({ place }) => place === 'path').map(({ name }) => name);
  const values = patternOf(operation.path).exec(exchange.path)?.slice(1) ?? [];
  const path = Object.fromEntries(pathNames.map((name, at) => [name, values[at]]));
  const given: Readonly<Record<RequestField['place'], Readonly<Record<string, unknown>>>> = {
    path,
    query,
    body,
  };
  const isKnown = (place: RequestField['place'], name: string): boolean =>
    asks.some((field) => field.place === place && field.name === name);
  return [
    ...(isOf(operation, exchange)
      ? []
      : [`${exchange.method} ${exchange.path} is not ${method} ${operation.path}`]),
    ...asks
      .filter(({ need, place, name }) => need !== 'optional' && !(name in given[place]))
      .map(({ name }) => `${name} is missing`),
    ...asks
      .filter((field) => field.name in given[field.place])
      .filter((field) => !isOfType(given[field.place][field.name], field))
      .map(
        (field) => `${field.name} is ${field.type}, was ${JSON.stringify(given[field.place][field.name])}`,
      ),
    ...asks
      .filter(({ constant, name, place }) => constant !== null && name in given[place])
      .filter(({ constant, name, place }) => given[place][name] !== constant)
      .map(({ constant, name }) => `${name} is always ${constant}`),
    ...(['query', 'body'] as const).flatMap((place) =>
      Object.keys(given[place])
        .filter((name) => !isKnown(place, name))
        .map((name) => `${name} is not documented`),
    ),
    ...(/^Bearer \S+$/.test(headers['authorization'] ?? '') === isOpen
      ? [`authorization: ${headers['authorization']}`]
      : []),
    ...(method !== 'GET' && !headers['content-type']?.startsWith('application/json') ? ['content-type'] : []),
  ];
}
