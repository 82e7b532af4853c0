/** Talks to the daemon that runs, over its control API on this machine. */
import { type ControlLink, readControl } from '../../app/inspect/read-control.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

const ANSWER_MS_MAX = 15_000;

export const getStatus = (stateDir: string): Promise<unknown> => call(stateDir, 'GET', '/status', null);

/** What the daemon says of it. Ends the command when the daemon refuses. */
export async function sendCommand(stateDir: string, name: string, body: object): Promise<string> {
  const answer = await call(stateDir, 'POST', `/commands/${name}`, body);
  return messageOf(answer) ?? 'done';
}

async function call(stateDir: string, method: string, path: string, body: object | null): Promise<unknown> {
  const link = readControl(stateDir);
  if (link === undefined) throw noDaemon(stateDir);
  const response = await reached(link, stateDir, method, path, body);
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  throw new CliFailure(EXIT.failed, `refused: ${messageOf(answer) ?? `HTTP ${response.status}`}`);
}

async function reached(
  { port, token }: ControlLink,
  stateDir: string,
  method: string,
  path: string,
  body: object | null,
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  };
  try {
    return await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    // Nobody listens: what the file describes has ended without taking it away.
    if (isRefused(error)) throw noDaemon(stateDir);
    throw new CliFailure(EXIT.failed, `the daemon on port ${port} did not answer: ${String(error)}`);
  }
}

const noDaemon = (stateDir: string): CliFailure =>
  new CliFailure(
    EXIT.nothingThere,
    `no daemon runs on ${stateDir}: start one (tickwright paper), or name its state directory with --state`,
  );

function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

function messageOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('message' in answer)) return undefined;
  return typeof answer.message === 'string' ? answer.message : undefined;
}
