/** The service as an OpenAPI 3.1 document, made from the codecs that read its requests and write its answers. */
import { z } from 'zod';
import { OPERATIONS, type WireOperation } from '../rest/operations.ts';
import { isRecord } from '../json.ts';
import { FIELD_TEXTS, OPERATION_TEXTS } from './operation-texts.ts';

type Json = Readonly<Record<string, unknown>>;

const OPEN: readonly string[] = ['request-otp', 'token'];
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
  const tags = [...new Set(Object.values(OPERATION_TEXTS).map(({ tag }) => tag))];
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

function itemOf(operation: (typeof OPERATIONS)[number]): Json {
  const { name, method, asks, answers } = operation;
  const { tag, summary } = OPERATION_TEXTS[name];
  const isOpen = OPEN.includes(name);
  return {
    [method.toLowerCase()]: {
      operationId: name,
      tags: [tag],
      summary,
      security: isOpen ? [] : [{ token: [] }],
      parameters: [...pathParameters(operation), ...(method === 'GET' ? queryParameters(asks) : [])],
      ...(method !== 'GET' && asks !== null && { requestBody: bodyOf(asks) }),
      responses: {
        '200': {
          description: 'The answer; a business refusal, too.',
          content: { 'application/json': { schema: answerSchema(answers) } },
        },
        '400': ERROR_ANSWER,
        ...(!isOpen && { '401': ERROR_ANSWER, '403': ERROR_ANSWER }),
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
    description: FIELD_TEXTS[name] ?? '',
    schema: { type: 'string' },
  }));
}

function queryParameters(asks: z.ZodType | null): Json[] {
  const { properties, required } = asks === null ? NOTHING : requestSchema(asks);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: FIELD_TEXTS[name] ?? '',
    schema,
  }));
}

const bodyOf = (asks: z.ZodType): Json => ({
  required: true,
  content: { 'application/json': { schema: requestSchema(asks) } },
});

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

const NOTHING: ObjectSchema = { type: 'object', properties: {}, required: [] };

/** What is read, before it is turned into our own words. Fields that nobody knows are accepted. */
function requestSchema(asks: z.ZodType): ObjectSchema {
  const schema: Json = z.toJSONSchema(asks, { io: 'input', unrepresentable: 'any' });
  const given = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const properties: Record<string, Json> = {};
  for (const [name, raw] of Object.entries(given)) {
    const { isNeeded, ...field } = isRecord(raw) ? raw : {};
    if (isNeeded === true) required.add(name);
    const description = FIELD_TEXTS[name];
    properties[name] = description === undefined ? field : { description, ...field };
  }
  return { type: 'object', properties, required: [...required] };
}

function answerSchema(answers: z.ZodType): Json {
  const { $schema: _dialect, ...schema }: Json = z.toJSONSchema(answers);
  return schema;
}
