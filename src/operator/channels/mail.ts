/** A channel that sends e-mail. */
import { existsSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { errorText } from '../../domain/failure.ts';
import type { AlertChannel, DeliveryResult } from '../alerts/alert-message.ts';
import { isLoopback } from '../http-guards.ts';

export interface MailOptions {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS, which is demanded unless `host` is this machine. */
  readonly isSecure: boolean;
  readonly from: string;
  readonly to: readonly string[];
  readonly login: { readonly user: string; readonly password: string } | null;
}

const TIMEOUT_MS = 20_000;
const TEXT_MAX = 50_000;

export function createMail(options: MailOptions): AlertChannel {
  const { id, host, port, isSecure, from, to, login } = options;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && !(host === 'localhost' || isLoopback(host)),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableUrlAccess: true,
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
  });
  return {
    id,
    textMax: TEXT_MAX,
    async send(delivery): Promise<DeliveryResult> {
      const { title, text, severity, pages } = delivery;
      try {
        await transport.sendMail({
          from,
          to: [...to],
          subject: title,
          text,
          ...(severity === 'critical' ? { priority: 'high' as const } : {}),
          // A report may be past its retention by now.
          attachments: pages.filter((path) => existsSync(path)).map((path) => ({ path })),
        });
        return { status: 'sent' };
      } catch (error) {
        const result = failed(error);
        if (pages.length === 0 || !isOfContent(error)) return result;
        // Too large, or of a kind that it never takes: what comes behind this message must not wait for it.
        const refusal = `the mail server did not take ${pages.join(', ')}: ${result.reason}`;
        return this.send({ ...delivery, text: `${text}\n\n${refusal}`, pages: [] });
      }
    },
    close: async () => transport.close(),
  };
}

/** The server took sender and receiver, and refuses what the mail has. */
const isOfContent = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'EMESSAGE' &&
  !('responseCode' in error && Number(error.responseCode) < 500);

/** Wrong passwords and addresses need a person; everything else may pass. */
function failed(error: unknown): Exclude<DeliveryResult, { readonly status: 'sent' }> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reply = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
  const reason = `${code === '' ? '' : `${code}: `}${errorText(error)}`;
  const isFinal = code === 'EAUTH' || code === 'EENVELOPE' || reply === 535 || reply === 550;
  return isFinal && reply >= 500 ? { status: 'refused', reason } : { status: 'later', pauseMs: null, reason };
}
