/** A client written from the contract alone: bare `fetch`, nothing of our own. */
export type Json = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export interface Account {
  readonly rest: string;
  readonly stream: string;
  readonly apiKey: string;
  readonly otp: string;
  readonly custodyCode: string;
  readonly subAccountId: string;
}

export interface OrderWish {
  readonly side: 'B' | 'S';
  readonly symbol: string;
  readonly price: unknown;
  readonly volume: unknown;
  readonly refId: string;
}

export interface ConditionWish {
  readonly side: 'B' | 'S';
  readonly symbol: string;
  readonly price: unknown;
  readonly volume: unknown;
  readonly orderType: string;
  readonly soPrice: unknown;
  readonly callbackPoint?: unknown;
  readonly activationPrice?: unknown;
  readonly refId?: string;
}

export class Stranger {
  readonly account: Account;
  token: string | undefined;

  constructor(account: Account) {
    this.account = account;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(this.account.rest + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as Json) : {},
    };
  }

  get(path: string, query: Record<string, string> = {}): Promise<Reply> {
    const search = new URLSearchParams(query).toString();
    return this.call('GET', search === '' ? path : `${path}?${search}`);
  }

  async logIn(): Promise<void> {
    const { apiKey, otp } = this.account;
    const reply = await this.call('POST', '/gaia/v1/oauth2/openapi/token', { apiKey, otp });
    if (typeof reply.json['token'] !== 'string') throw new Error(`no token: ${reply.text}`);
    this.token = reply.json['token'];
  }

  place(wish: OrderWish): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    const body = { accountId: custodyCode, subAccountId, orderType: '0', ...wish };
    return this.call('POST', '/khronos/v1/order/place', body);
  }

  change(orderNo: string, nprice: number, nvol: number, refId: string): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    const body = { accountId: custodyCode, subAccountId, orderNo, refId, nvol, nprice };
    return this.call('POST', '/khronos/v1/order/change', body);
  }

  cancel(orderNo: string): Promise<Reply> {
    const body = { accountId: this.account.custodyCode, orderNo, cmd: 'Web.cancelOrder', pin: 'F' };
    return this.call('POST', '/khronos/v1/order/cancel', body);
  }

  inDay(filter: Record<string, string> = {}): Promise<Reply> {
    return this.get('/khronos/v1/order/in-day', {
      accountId: this.account.custodyCode,
      pageNo: '1',
      pageSize: '100',
      symbol: 'ALL,ALL',
      orderType: '',
      status: '0',
      ...filter,
    });
  }

  positions(): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    return this.get('/khronos/v1/account/portfolio/status', { accountId: custodyCode, subAccountId });
  }

  status(): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    return this.get('/khronos/v1/account/status', { accountId: custodyCode, subAccountId, getType: '0' });
  }

  closed(query: Record<string, string> = {}): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    const page = { pageNo: '1', pageSize: '100' };
    const asked = { accountId: custodyCode, subAccountId, ...page, ...query };
    return this.get('/khronos/v1/account/portfolio/position/close', asked);
  }

  placeCondition(wish: ConditionWish): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    const unused = { callbackPoint: 0, activationPrice: 0 };
    const body = { accountId: custodyCode, subAccountId, ...unused, ...wish };
    return this.call('POST', '/khronos/v1/order/condition/place', body);
  }

  changeCondition(pkOrderNo: string, soPrice: number, refId: string): Promise<Reply> {
    const body = {
      accountId: this.account.custodyCode,
      pkOrderNo,
      refId,
      soPrice,
      type: '',
      cmd: 'Web.Order.ChangeCondition',
    };
    return this.call('POST', '/khronos/v2/order/condition/change', body);
  }

  cancelCondition(orderNo: string): Promise<Reply> {
    const body = { accountId: this.account.custodyCode, orderNo };
    return this.call('POST', '/khronos/v1/order/condition/cancel', body);
  }

  conditions(filter: Record<string, string> = {}): Promise<Reply> {
    return this.get('/khronos/v1/order/condition/detail', {
      accountId: this.account.custodyCode,
      subAccountID: this.account.subAccountId,
      pageNo: '1',
      PageSize: '100',
      orderStatus: '0',
      orderType: '',
      Symbol: 'ALL,ALL',
      ...filter,
    });
  }

  derivatives(): Promise<Reply> {
    return this.get('/tartarus/v1/derivatives');
  }

  contracts(): Promise<Reply> {
    return this.get('/api/v1/derivatives/contracts');
  }

  deposit(amount: unknown): Promise<Reply> {
    return this.#cash('deposit', amount);
  }

  withdraw(amount: unknown): Promise<Reply> {
    return this.#cash('withdraw', amount);
  }

  transfer(sourceAccountNumber: string, destinationAccountNumber: string, amount: unknown): Promise<Reply> {
    const body = { sourceAccountNumber, destinationAccountNumber, amount, description: 'between my own' };
    return this.call('POST', '/physis/v1/stock/transfer', body);
  }

  assets(accountNo: string): Promise<Reply> {
    return this.get(`/aion/v1/accounts/${accountNo}/se`);
  }

  cash(accountNo: string): Promise<Reply> {
    return this.get(`/aion/v1/accounts/${accountNo}/cashInvestments`);
  }

  #cash(what: 'deposit' | 'withdraw', amount: unknown): Promise<Reply> {
    const { custodyCode, subAccountId } = this.account;
    const body = { accountId: custodyCode, subAccountId, amount, paymentContent: what };
    return this.call('POST', `/khronos/v1/cash/${what}/update`, body);
  }
}

/** The rows of an answer's `data`. */
export const rowsOf = (reply: Reply): Json[] => {
  const { data } = reply.json;
  if (!Array.isArray(data)) throw new Error(`no rows: ${reply.text}`);
  return data as Json[];
};

export const firstOf = (reply: Reply): Json => {
  const row = rowsOf(reply)[0];
  if (row === undefined) throw new Error(`no row: ${reply.text}`);
  return row;
};

export const orderNoOf = (reply: Reply): string => String(firstOf(reply)['orderNo']);

/** Normal and margin account. */
export const cashAccountsOf = ({ account: { custodyCode } }: Stranger): readonly string[] =>
  ['0001', '0002'].map((front) => front + custodyCode.slice(-6));
