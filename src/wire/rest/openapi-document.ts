/** The service as an OpenAPI 3.1 document, made from the codecs that read its requests and write its answers. */
import { isRecord } from '../../domain/parsed.ts';
import { z } from 'zod';
import type { Described } from './message.ts';
import type { WireOperation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

type Json = Readonly<Record<string, unknown>>;

const PATH_TEXTS: Readonly<Record<string, string>> = {
  custodyCode: 'Custody account number.',
  accountNo: 'Sub-account number.',
};
const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'Outside the envelope. `code` is a text.',
  properties: { code: { type: 'string' }, message: { type: 'string' } },
  required: ['code', 'message'],
  additionalProperties: false,
};
const ERROR_ANSWER: Json = {
  description: 'What went wrong.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Json;
}

/** `server` is where it listens, such as http://127.0.0.1:8700. */
export function openApiDocument(server: string): OpenApiDocument {
  const tags = [...new Set(OPERATIONS.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Brokerage trading service',
      version: '1.0.0',
      description:
        'Account, derivative trading, cash, stock and margin package. Business refusals of the /khronos/ operations are ' +
        'HTTP 200 with rc below 0 and the text in rs. Required is what this service cannot do without: the real one asks for ' +
        'every field that its contract marks, so send them all. Prices come by the WebSocket at /ws/thesis/v1/stream/derivative, ' +
        'which is not part of this document.',
    },
    servers: [{ url: server }],
    tags: tags.map((name) => ({ name })),
    paths: Object.fromEntries(OPERATIONS.map((operation) => [pathOf(operation), itemOf(operation)])),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

const pathOf = ({ path }: WireOperation): string => path.replaceAll(/:(\w+)/g, '{$1}');

function itemOf(operation: WireOperation): Json {
  const { name, method, tag, summary, needsToken, asks, answers } = operation;
  return {
    [method.toLowerCase()]: {
      operationId: name,
      tags: [tag],
      summary,
      security: needsToken ? [{ token: [] }] : [],
      parameters: [...pathParameters(operation), ...(method === 'GET' ? queryParameters(asks) : [])],
      ...(method !== 'GET' && asks !== null && { requestBody: bodyOf(asks) }),
      responses: {
        '200': {
          description: 'The answer; a business refusal, too.',
          content: { 'application/json': { schema: answerSchema(answers) } },
        },
        '400': ERROR_ANSWER,
        ...(needsToken && { '401': ERROR_ANSWER, '403': ERROR_ANSWER }),
        default: ERROR_ANSWER,
      },
    },
  };
}

function pathParameters({ path }: WireOperation): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_TEXTS[name] ?? '',
    schema: { type: 'string' },
  }));
}

const queryParameters = (asks: Described | null): Json[] =>
  Object.entries(requestSchema(asks).properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: requestSchema(asks).required.includes(name),
    description,
    schema,
  }));

const bodyOf = (asks: Described): Json => ({
  required: true,
  content: { 'application/json': { schema: requestSchema(asks) } },
});

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

/** The form as read, before it is turned into our own words. Unknown fields are accepted. */
function requestSchema(asks: Described | null): ObjectSchema {
  const schema: Json =
    asks === null ? {} : z.toJSONSchema(asks.reader, { io: 'input', unrepresentable: 'any' });
  const given = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const properties: Record<string, Json> = {};
  for (const [name, raw] of Object.entries(given)) {
    const { isNeeded, ...rest } = isRecord(raw) ? raw : {};
    if (isNeeded === true) required.add(name);
    properties[name] = { description: asks?.descriptions[name], ...rest };
  }
  return { type: 'object', properties, required: [...required] };
}

function answerSchema(answers: z.ZodType): Json {
  const { $schema: _dialect, ...schema }: Json = z.toJSONSchema(answers);
  return schema;
}
