/** A connection to a NATS server with JetStream, checked before anything crosses it. Its clients are loaded when a server is named. */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText, InputFault } from '../domain/failure.ts';

export interface ClusterSettings {
  /** `nats://host:4222`, without a password: arguments and logs are read by others. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Path of a file of credentials. */
  readonly credentials?: string | undefined;
  /** Paths of files. */
  readonly tls?: Readonly<Partial<Record<'ca' | 'cert' | 'key', string | undefined>>> | undefined;
}

export interface Cluster {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** Where the server is, as a message names it. */
  readonly url: string;
  /** Sends what waits, then ends the connection. */
  close(): Promise<void>;
}

/** An older server ignores the end of a key's life without a word. */
const OLDEST = [2, 11] as const;
const ANSWER_MS = 10_000;
const RECONNECT_MS = 500;
const AGAIN_MS = 1_000;

/** `name` is shown by the server among its connections. It goes on through restarts of the server until it is closed. */
export async function openCluster(settings: ClusterSettings, name: string): Promise<Cluster> {
  const url = addressOf(settings.url);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const { connect } = await import('@nats-io/transport-node');
  const options = { ...(await loginOf(settings)), name, servers: url.host, ignoreClusterUpdates: isLoopback };
  const nc = await connect({
    ...options,
    timeout: ANSWER_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
  }).catch((error: unknown) => {
    throw refusal(url.href, error);
  });
  try {
    return await checked(nc, url.href, isLoopback);
  } catch (error) {
    await nc.close();
    throw error;
  }
}

function addressOf(text: string): URL {
  const address = /^\w+:\/\//.test(text) ? text : `nats://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '')
    throw new InputFault(
      'arguments',
      `expected the address of a NATS server, such as nats://host:4222, was ${text}`,
    );
  if (url.username + url.password !== '') {
    const hint = 'others read the arguments of programs: it belongs into the environment or a file';
    throw new InputFault(
      'arguments',
      `${url.protocol}//${url.host}: expected an address alone, was one with a password (${hint})`,
    );
  }
  if (url.port === '') url.port = '4222';
  return url;
}

async function loginOf({
  url,
  user,
  password,
  credentials,
  tls,
}: ClusterSettings): Promise<NodeConnectionOptions> {
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const isTls = tls !== undefined || url.startsWith('tls:');
  const { ca: caFile, cert: certFile, key: keyFile } = tls ?? {};
  // The client has names alone checked: of an address it would take the certificate of localhost.
  const host = addressOf(url).hostname.replaceAll(/[[\]]/g, '');
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentials)) }),
    ...(isTls
      ? {
          tls: Object.fromEntries(
            Object.entries({ caFile, certFile, keyFile, host }).filter(([, path]) => path !== undefined),
          ),
        }
      : {}),
  };
}

async function checked(nc: NatsConnection, url: string, isLoopback: boolean): Promise<Cluster> {
  const { version = '0', auth_required: needsUser, tls_verify: needsCertificate } = nc.info ?? {};
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new Error(
      `${url}: expected nats-server ${OLDEST.join('.')} or newer, was ${version}: install a newer one`,
    );
  if (!isLoopback && needsUser !== true && needsCertificate !== true) {
    const hint = 'give it users (authorization in its configuration), or run it on 127.0.0.1';
    throw new Error(
      `${url}: expected a server that asks who connects, was one without authentication: ${hint}`,
    );
  }
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
  try {
    const jsm = await jetstreamManager(nc, { timeout: ANSWER_MS });
    return { nc, jsm, js: jetstream(nc, { timeout: ANSWER_MS }), url, close: () => nc.drain() };
  } catch (error) {
    throw refusal(url, error);
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ConnectionError: 'start it, or check address and port',
  AuthorizationError: 'check user and password, or the file of credentials',
  PermissionViolationError: 'allow it to this user in the configuration of the server',
  JetStreamNotEnabled: 'start it with --jetstream',
  TimeoutError:
    'it is slow, stopped, no NATS server, or its disk was full: look at its log, and start it again once there is room',
};

/** By the text of a failure. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /insufficient|maximum bytes|no space/i,
    'its store is full: give it more (max_file_store), or remove what is old',
  ],
  [/certificate/i, 'check the files of tls, and the names in the certificate of the server'],
];

/** A failure of the server as one sentence: where, what was expected, what it was, what to do. */
export function refusal(url: string, error: unknown): Error {
  const text = errorText(error);
  const [, remedy] = HINTS.find(([pattern]) => pattern.test(text)) ?? [];
  const hint = namesOf(error).reduceRight(
    (found, name) => REMEDIES[name] ?? found,
    remedy ?? 'look at the log of the server',
  );
  return new Error(`${url}: expected a NATS server with JetStream, was: ${text}: ${hint}`);
}

/** The server is gone, slow or full: it may come back, with or without what it stored. */
export class Outage {
  #noted = '';

  /** Waits a moment; throws a failure that waiting does not cure. */
  async wait({ nc, url }: Cluster, error: unknown, say: (text: string) => void): Promise<void> {
    // A server that refuses the user after its restart ends the connection for good.
    const failure = refusal(url, (nc.isClosed() && (await nc.closed())) || error);
    const isFinal = namesOf(error).some((name) =>
      ['PermissionViolationError', 'AuthorizationError'].includes(name),
    );
    if (isFinal || nc.isClosed()) throw failure;
    if (failure.message !== this.#noted) say(`${failure.message}; trying again each second`);
    this.#noted = failure.message;
    await pause(AGAIN_MS);
  }

  end(): void {
    this.#noted = '';
  }
}

const namesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.name, ...namesOf(error.cause)] : [];
