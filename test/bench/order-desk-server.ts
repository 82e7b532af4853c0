/**
 * The other end of the orders, in a thread of its own: a bare fastify that answers each with the same text, or the simulator
 * with nobody else in its market.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Fastify from 'fastify';
import { demoAccount } from '../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import type { OrderExecutor, OrderDeskData } from './order-desk-bench.ts';

/** What the simulator answers to an order, as long as it. */
const ANSWER = JSON.stringify({
  cmd: 'Web.newOrder',
  rc: '1',
  rs: '',
  oID: '1',
  data: [
    {
      symbol: '41I1GC000',
      status: 'P',
      msg_type: '1I',
      showPrice: '1898.7',
      orderTime: '10:00:00',
      type: 'I',
      accountCode: '000001A',
      orderNo: '1',
      matchVolume: '0',
      side: 'B',
      volume: '1',
      pk_orderNo: '1000001',
      channel: 'I',
      refID: 'H.1',
      group: 'FU',
      quote: 'G',
    },
  ],
});

const MUCH_CASH = 100_000_000_000_000;
const ORDERS_MAX = 1_000_000;

async function bare(): Promise<OrderExecutor> {
  const server = Fastify({ logger: false });
  server.post('/khronos/v1/order/place', (_request, reply) => reply.type('application/json').send(ANSWER));
  const rest = await server.listen({ host: '127.0.0.1', port: 0 });
  return { rest, symbol: 'any', custodyCode: 'any', subAccountId: 'any', apiKey: '', otp: '' };
}

async function simulator(stateDir: string): Promise<OrderExecutor> {
  const running = await startSimulator({
    stateDir,
    market: { kind: 'empty', startPoints: 1_900 },
    // One customer sends what many would.
    accounts: [demoAccount({ derivative: MUCH_CASH })],
    rules: { positionMax: ORDERS_MAX },
  });
  const { rest, frontMonth: symbol, custodyCode, subAccountId, apiKey, otp } = running;
  return { rest, symbol, custodyCode, subAccountId, apiKey, otp };
}

const port = parentPort;
if (port === null) throw new Error('runs as a worker');
const { stateDir }: OrderDeskData = workerData;
port.postMessage(await (stateDir === null ? bare() : simulator(stateDir)));
