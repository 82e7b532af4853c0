/** What the simulator says of itself, held against what it does: every answer, on the wire, by the document it serves. */
import { describe, expect, it } from 'vitest';
import { simulatorDocument } from '../../src/app/simulator/run-simulator.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { answersOfDay } from '../contract/broker/support/day-story.ts';
import { DescribedService } from './support/described-service.ts';
import { everyOperation } from './support/every-operation.ts';
import { started } from './support/started.ts';
import { Stranger } from './support/stranger.ts';

const pathOf = (name: string): readonly [string, string] => {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return [found.method, found.path.replaceAll(/:\w+/g, 'x')];
};

/** Checks each answer by the document as it arrives. */
class CheckedStranger extends Stranger {
  readonly faults: string[] = [];
  service: DescribedService | undefined;

  override async call(...[method, path, body, headers]: Parameters<Stranger['call']>) {
    const reply = await super.call(method, path, body, headers);
    this.faults.push(...(this.service?.answerFaults(method, path, reply.status, reply.json) ?? []));
    return reply;
  }
}

const checked = async (options: Parameters<typeof started>[0] = {}) => {
  const all = await started(options);
  const service = await DescribedService.of(all.simulator.rest);
  const stranger = new CheckedStranger(all.alice.account);
  stranger.service = service;
  return { ...all, service, stranger };
};

describe('the document that the simulator serves', () => {
  it('is the one that the command prints, and is read without a token', async () => {
    const { simulator } = await started();
    const served = await fetch(`${simulator.rest}/openapi.json`);
    expect([served.status, await served.json()]).toEqual([200, simulatorDocument(simulator.rest)]);
  });

  it('describes every answer of a full day', async () => {
    const { service } = await checked();
    const answers = await answersOfDay();
    const faults = [...answers].flatMap(([name, all]) =>
      all.flatMap((answer) => service.answerFaults(...pathOf(name), 200, answer)),
    );
    expect(faults).toEqual([]);
    expect([...service.seen.keys()].toSorted()).toEqual([...service.operations].toSorted());
  });

  it('describes refusals: without a token, with what cannot be read, and of what there is not', async () => {
    const { service, stranger, front } = await checked();
    for (const call of Object.values(everyOperation(stranger, front))) await call();
    const refused = ['401', '200', '400'].map(
      (status) => [...service.seen].filter(([, statuses]) => statuses.has(Number(status))).length,
    );
    // All but the two token calls ask for a token; nothing else was asked.
    expect(refused).toEqual([21, 2, 0]);

    await stranger.logIn();
    for (const call of Object.values(everyOperation(stranger, 'nothing'))) await call();
    for (const { method, path } of OPERATIONS) {
      const url = path.replaceAll(/:\w+/g, 'x');
      for (const body of [{}, [], { accountId: 1, volume: 'x' }, 'no JSON'])
        await stranger.call(method, url, method === 'GET' ? undefined : body);
    }
    expect(stranger.faults).toEqual([]);
  });

  it.each([
    ['http_500', 500],
    ['http_429', 429],
  ] as const)('describes the answers under %s', async (name, status) => {
    const { service, simulator, stranger, front } = await checked();
    simulator.faults.set({ name });
    for (const call of Object.values(everyOperation(stranger, front))) await call();
    expect([...service.seen.values()].map((statuses) => [...statuses])).toEqual(
      service.operations.map(() => [status]),
    );
    expect(stranger.faults).toEqual([]);
  });

  it('tells a wrong answer from a right one', async () => {
    const { service } = await checked();
    const [method, url] = pathOf('place');
    expect(service.answerFaults(method, url, 200, { rc: '1' })).not.toEqual([]);
    expect(service.answerFaults(method, url, 400, { code: 1, message: '' })).not.toEqual([]);
    expect(service.answerFaults(method, '/nothing', 200, {})).toEqual(['POST /nothing is not described']);
    expect(service.requestFaults(method, url, {})).not.toEqual([]);
  });
});
