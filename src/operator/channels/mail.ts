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
  /** Null where the server asks for none. */
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
    async send({ title, text, severity, pages }): Promise<DeliveryResult> {
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
        return failed(error);
      }
    },
    close: async () => transport.close(),
  };
}

/** Wrong passwords and addresses need a person; everything else may pass. */
function failed(error: unknown): DeliveryResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reply = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
  const reason = `${code === '' ? '' : `${code}: `}${errorText(error)}`;
  const isFinal = code === 'EAUTH' || code === 'EENVELOPE' || reply === 535 || reply === 550;
  return isFinal && reply >= 500 ? { status: 'refused', reason } : { status: 'later', pauseMs: null, reason };
}
