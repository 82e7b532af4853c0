/**
 * The other end of the stream, in a thread of its own: answers the auth frame, and on demand writes all frames as bytes made
 * beforehand, as fast as the socket takes them. So the receiver is what is measured.
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocketServer } from 'ws';
import { decodeClientFrame, encodeAuthResult } from '../../src/wire/stream/control-frame.ts';
import { framed } from '../support/text-frame.ts';

const port = parentPort;
if (port === null) throw new Error('runs as a worker');
const path: string = workerData;
const bytes = Buffer.concat(readFileSync(path, 'utf8').split('\n').filter(Boolean).map(framed));

const http = createServer();
const server = new WebSocketServer({ noServer: true });
let latest: Socket | undefined;
http.on('upgrade', (request, socket, head) => {
  server.handleUpgrade(request, socket, head, (client) => {
    latest = request.socket;
    // A bare client sends nothing.
    client.on('message', (data: Buffer) => {
      if (decodeClientFrame(data.toString('utf8')).kind === 'auth') client.send(encodeAuthResult(null));
    });
  });
});
port.on('message', () => {
  latest?.write(bytes);
});
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const address = http.address();
port.postMessage(typeof address === 'object' && address !== null ? address.port : 0);
