import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/wire/rest/openapi-document.ts';
import { OPERATIONS } from '../../../src/wire/rest/operations.ts';

type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
}
interface Described {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: Json } } }>
  >;
}

const document = openApiDocument('http://127.0.0.1:8700');
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...(operation as Described) })),
);
const operation = (name: string): Described => {
  const found = described.find(({ operationId }) => operationId === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
};
const named = (name: string, place: string): Record<string, boolean> =>
  Object.fromEntries(
    operation(name)
      .parameters.filter((parameter) => parameter.in === place)
      .map((parameter) => [parameter.name, parameter.required]),
  );
const body = (name: string): Json => operation(name).requestBody?.content['application/json'].schema ?? {};

describe('the OpenAPI document', () => {
  it('is of version 3.1 and says where the service listens', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://127.0.0.1:8700' }] });
  });

  it('has each operation at its path and method', () => {
    expect(described.map(({ operationId, method, path }) => [operationId, method, path])).toEqual(
      OPERATIONS.map(({ name, method, path }) => [
        name,
        method.toLowerCase(),
        path.replace(':custodyCode', '{custodyCode}').replace(':accountNo', '{accountNo}'),
      ]),
    );
  });

  it('asks for a token everywhere but in the two token calls', () => {
    const open = described.filter(({ security }) => security.length === 0);
    expect(open.map(({ operationId }) => operationId)).toEqual(['request-otp', 'token']);
  });

  it('names what stands in paths and queries as the contract spells it, and what has to be there', () => {
    expect(named('profile', 'path')).toEqual({ custodyCode: true });
    expect(named('profile', 'query')).toEqual({ fields: true });
    expect(named('loan-packages', 'path')).toEqual({ accountNo: true });
    expect(named('conditions', 'query')).toEqual({
      accountId: true,
      subAccountID: false,
      pageNo: true,
      PageSize: true,
      orderStatus: false,
      orderType: false,
      Symbol: false,
    });
    expect(named('closed-positions', 'query')).toMatchObject({ pageNo: true, pageSize: true, symbol: false });
  });

  it('names what stands in bodies', () => {
    expect(Object.keys(body('change')['properties'] as Json)).toEqual([
      'accountId',
      'subAccountId',
      'orderNo',
      'refId',
      'nvol',
      'nprice',
    ]);
    expect(body('change')['required']).toEqual(
      expect.arrayContaining(['accountId', 'orderNo', 'nvol', 'nprice']),
    );
    expect(body('cancel-stock-orders')['required']).toEqual(['ordersList']);
  });

  it('explains every parameter and every field of a body', () => {
    const silent = described.flatMap(({ operationId, parameters, requestBody }) => {
      const fields = Object.entries(
        (requestBody?.content['application/json'].schema['properties'] ?? {}) as Json,
      );
      return [
        ...parameters
          .filter(({ description }) => description === '')
          .map(({ name }) => `${operationId} ${name}`),
        ...fields
          .filter(([, field]) => !('description' in (field as Json)))
          .map(([name]) => `${operationId} ${name}`),
      ];
    });
    expect(silent).toEqual([]);
  });

  it('has requests that a validator can use, without a word that JSON Schema does not know', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    const schemas = described.flatMap(({ parameters, requestBody }) => [
      ...parameters.map((parameter) => (parameter as unknown as { readonly schema: Json }).schema),
      ...(requestBody === undefined ? [] : [requestBody.content['application/json'].schema]),
    ]);
    expect(schemas.length).toBeGreaterThan(40);
    for (const schema of schemas) expect(() => ajv.compile(schema)).not.toThrow();
  });

  it('has answers that a validator can use, and that know a wrong one', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const { operationId, responses } of described) {
      const validate = ajv.compile(responses['200']?.content['application/json'].schema ?? {});
      expect(validate({ nobody: 1 }), operationId).toBe(false);
      expect(validate('text'), operationId).toBe(false);
    }
    const token = ajv.compile(operation('token').responses['200']?.content['application/json'].schema ?? {});
    expect([token({ token: 'x' }), token({ token: 1 }), token({ token: 'x', more: 1 })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
