/** The service as its own OpenAPI document describes it: whether a request may be asked so, and an answer may look so. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Readonly<Record<string, unknown>>;

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = { readonly 'application/json': { readonly schema: Json } };

export interface ServiceDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Json };
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: Described;
}

export class DescribedService {
  /** Of each operation, the HTTP statuses it was seen to answer with. */
  readonly seen = new Map<string, Set<number>>();
  readonly operations: readonly string[];
  readonly #ajv = new Ajv2020({ strict: false });
  readonly #validators = new Map<Json, ValidateFunction>();
  readonly #routes: readonly Route[];
  readonly #components: Json;

  constructor({ paths, components }: ServiceDocument) {
    this.#components = components;
    this.#routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        operation: operation as Described,
      })),
    );
    this.operations = this.#routes.map(({ operation }) => operation.operationId);
  }

  static async of(rest: string): Promise<DescribedService> {
    return new DescribedService((await (await fetch(`${rest}/openapi.json`)).json()) as ServiceDocument);
  }

  /** All that is wrong with an answer; a text is no JSON. */
  answerFaults(method: string, url: string, status: number, answer: unknown): string[] {
    const operation = this.#operationAt(method, url);
    if (operation === undefined) return [`${method} ${url} is not described`];
    const { operationId, responses } = operation;
    this.seen.set(operationId, (this.seen.get(operationId) ?? new Set()).add(status));
    const described = responses[String(status)] ?? responses['default'];
    if (described === undefined) return [`${operationId}: status ${status} is not described`];
    return this.#faults(described.content, answer).map((fault) => `${operationId} ${status}: ${fault}`);
  }

  /** What a request that was accepted should not have been, by the document. */
  requestFaults(method: string, url: string, body: unknown): string[] {
    const operation = this.#operationAt(method, url);
    if (operation === undefined) return [`${method} ${url} is not described`];
    const { operationId, parameters, requestBody } = operation;
    const given = new URL(url, 'http://any').searchParams;
    const missing = parameters.filter(
      ({ name, in: place, required }) => place === 'query' && required && !given.has(name),
    );
    const faults = requestBody === undefined ? [] : this.#faults(requestBody.content, body);
    return [...missing.map(({ name }) => `${name} is missing`), ...faults].map(
      (fault) => `${operationId} request: ${fault}`,
    );
  }

  #operationAt(method: string, url: string): Described | undefined {
    const { pathname } = new URL(url, 'http://any');
    return this.#routes.find((route) => route.method === method && route.pattern.test(pathname))?.operation;
  }

  #faults({ 'application/json': { schema } }: Content, value: unknown): string[] {
    const known = this.#validators.get(schema);
    // References of the document point to its own components.
    const validate = known ?? this.#ajv.compile({ ...schema, components: this.#components });
    this.#validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  }
}
