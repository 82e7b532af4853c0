/** An SMTP server on a local port that keeps what it is sent. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export class Mailbox {
  readonly #server: SMTPServer;
  readonly mails: string[] = [];
  /** Refuses each mail with this code; 0 takes it. */
  refuses = 0;
  /** Refuses mails with a file alone. */
  refusesFiles = false;
  readonly logins: string[] = [];

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username = '', password }, _session, done) => {
        this.logins.push(username);
        if (password === 'right') done(null, { user: username });
        else done(new Error('wrong password'));
      },
      onData: (stream, _session, done) => {
        let text = '';
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => {
          if (this.refuses !== 0) return done(Object.assign(new Error('no'), { responseCode: this.refuses }));
          if (this.refusesFiles && text.includes('Content-Disposition: attachment'))
            return done(Object.assign(new Error('Message size exceeds fixed limit'), { responseCode: 552 }));
          this.mails.push(text);
          done();
        });
      },
    });
    // A client that leaves in the middle is not this server's failure.
    this.#server.on('error', () => undefined);
  }

  static async start(): Promise<Mailbox> {
    const box = new Mailbox();
    await new Promise<void>((resolve) => box.#server.listen(0, '127.0.0.1', resolve));
    return box;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
