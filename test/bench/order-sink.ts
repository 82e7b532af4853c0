/** A broker that refuses every order at once, in a thread of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { placeOrder } from '../../src/wire/rest/order-calls.ts';

const port = parentPort;
if (port === null) throw new Error('runs as a worker');
const reply = JSON.stringify(placeOrder.encodeRefusal(-6012, 'refused by the bench'));
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json').end(reply);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
port.postMessage(typeof address === 'object' && address !== null ? address.port : 0);
