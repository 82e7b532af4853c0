/** A client that knows the service from the document's tables alone: bare `fetch`, and nothing of our own. */
import type { Json } from '../document/answer-check.ts';
import type { Operation, RequestField } from '../document/operation.ts';
import { operationNamed } from '../document/operations.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

interface Customer {
  readonly apiKey: string;
  readonly otp: string;
  readonly custodyCode: string;
}

export class BareClient {
  readonly rest: string;
  readonly apiKey: string;
  /** What the broker's app shows. */
  readonly otp: string;
  readonly custodyCode: string;
  token: string | undefined;

  constructor(rest: string, { apiKey, otp, custodyCode }: Customer) {
    this.rest = rest;
    this.apiKey = apiKey;
    this.otp = otp;
    this.custodyCode = custodyCode;
  }

  get subAccountId(): string {
    return `${this.custodyCode}A`;
  }

  /** Normal and margin account. */
  get cashAccounts(): readonly string[] {
    return ['0001', '0002'].map((front) => front + this.custodyCode.slice(-6));
  }

  async logIn(): Promise<string> {
    const answer = await this.call('token', { otpId: undefined });
    this.token = String(answer.json['token']);
    if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
    return this.token;
  }

  /** An operation of the document with the values given, the rest as the document has it; `undefined` leaves one out. */
  call(name: string, values: Values = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const operation = operationNamed(name);
    const all = { ...this.usualValues(operation), ...values };
    return this.send(operation, all, headers);
  }

  /** Every field that the document has for an operation, as far as it has one value for all. */
  usualValues(operation: Operation): Values {
    return Object.fromEntries(
      operation.asks.map((field) => [field.name, field.constant ?? this.#usual(field, operation)]),
    );
  }

  async send(
    { method, path, asks }: Operation,
    values: Values,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const placeOf = (name: string): RequestField['place'] =>
      asks.find((field) => field.name === name)?.place ?? (method === 'GET' ? 'query' : 'body');
    const at = (place: RequestField['place']) => given.filter(([name]) => placeOf(name) === place);
    let filled = path;
    for (const [name, value] of at('path'))
      filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    const query = new URLSearchParams(
      Object.fromEntries(at('query').map(([name, value]) => [name, String(value)])),
    ).toString();
    const url = query === '' ? filled : `${filled}?${query}`;
    return this.raw(method, url, method === 'GET' ? undefined : Object.fromEntries(at('body')), headers);
  }

  async raw(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.rest + url, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const json = isJson ? (JSON.parse(text) as Json) : {};
    return { status: response.status, headers: response.headers, text, json };
  }

  #usual({ name }: RequestField, operation: Operation): unknown {
    switch (name) {
      case 'apiKey':
        return this.apiKey;
      case 'otp':
        return this.otp;
      case 'custodyCode':
      case 'accountId':
        return this.custodyCode;
      case 'subAccountId':
      case 'subAccountID':
        return this.subAccountId;
      case 'fields':
        return 'basicInfo,bankSubAccounts';
      case 'getType':
      case 'status':
      case 'orderStatus':
        return '0';
      case 'pageNo':
        return '1';
      case 'pageSize':
      case 'PageSize':
        return '100';
      case 'Symbol':
        return 'ALL,ALL';
      case 'symbol':
        return operation.name === 'in-day' ? 'ALL,ALL' : undefined;
      case 'orderType':
        return operation.method === 'GET' ? '' : '0';
      case 'callbackPoint':
      case 'activationPrice':
        return 0;
      default:
        return undefined;
    }
  }
}

/** The rows of `data`. */
export function rowsOf({ json, text }: Answer): Json[] {
  const { data } = json;
  if (!Array.isArray(data)) throw new Error(`no rows: ${text}`);
  return data as Json[];
}

export function firstRow(answer: Answer): Json {
  const [row] = rowsOf(answer);
  if (row === undefined) throw new Error(`no row: ${answer.text}`);
  return row;
}
