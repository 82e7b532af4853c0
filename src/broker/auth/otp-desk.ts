/** Where people bring a one-time password: by the command line or a phone, to a daemon that waits for one. */
import type { Timers } from '../../domain/clock.ts';
import { minutes } from '../../domain/units.ts';
import { firstAnswer, type OtpAnswer, type OtpProvider, parseOtp } from './otp-providers.ts';

/** The broker's answer to a password, or why it was not sent. */
export type Brought = { readonly ok: true } | { readonly ok: false; readonly reason: string };

interface OtpDeskOptions {
  readonly timers: Timers;
  /** A wait for a person begins or ends. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** A password that the broker sent on request dies soon: the next request sends another one. */
const REQUESTED_LIFE = minutes(5);
/** Refused ones that are not sent again. */
const REFUSED_MAX = 10;

interface Parcel {
  readonly otp: string;
  readonly done: (brought: Brought) => void;
}

export class OtpDesk {
  readonly #options: OtpDeskOptions;
  #take: ((parcel: Parcel) => void) | undefined = undefined;
  /** It came before a request: the next read takes it. */
  #early: Parcel | undefined = undefined;
  readonly #refused: string[] = [];

  constructor(options: OtpDeskOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#take !== undefined;
  }

  /** Resolves with the broker's answer. A password that cannot be right, or was refused before, costs nothing. */
  bring(text: string): Promise<Brought> {
    const read = parseOtp(text);
    if (!read.ok) return Promise.resolve({ ok: false, reason: read.reason });
    const { otp } = read;
    if (this.#refused.includes(otp)) {
      const reason =
        'the broker has refused this password before, and it was not sent again: take the next one';
      return Promise.resolve({ ok: false, reason });
    }
    if (this.#early !== undefined)
      return Promise.resolve({ ok: false, reason: 'another password is on its way already' });
    return new Promise((done) => {
      const parcel = { otp, done };
      if (this.#take === undefined) this.#early = parcel;
      else this.#take(parcel);
    });
  }

  /** No request came for a password that was brought early. */
  giveBack(reason: string): void {
    this.#early?.done({ ok: false, reason });
    this.#early = undefined;
  }

  /** `source`: another source of passwords; null for this desk alone. */
  provider(source: OtpProvider | null, route: 'app' | 'request'): OtpProvider {
    return {
      name: source?.name ?? 'desk',
      isFresh: source?.isFresh ?? true,
      read: (signal) => this.#read(source, route, signal),
    };
  }

  #read(source: OtpProvider | null, route: 'app' | 'request', signal: AbortSignal): Promise<OtpAnswer> {
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) return Promise.resolve(this.#answer(early));
    // A program answers by itself: no person is asked.
    if (source?.isFresh === false) return source.read(signal);
    const patience = {
      timers: this.#options.timers,
      timeout: route === 'request' ? REQUESTED_LIFE : null,
    };
    return firstAnswer(patience, signal, 'nobody brought the password while it was valid', (settle) => {
      const ended = new AbortController();
      this.#take = (parcel) => settle(this.#answer(parcel));
      this.#options.onWaiting(true);
      void source?.read(ended.signal).then(settle);
      return () => {
        ended.abort();
        this.#take = undefined;
        this.#options.onWaiting(false);
      };
    });
  }

  #answer({ otp, done }: Parcel): OtpAnswer {
    return {
      ok: true,
      otp,
      onReply: (refusal) => {
        if (refusal === null) return done({ ok: true });
        if (refusal.isOtp) {
          this.#refused.push(otp);
          if (this.#refused.length > REFUSED_MAX) this.#refused.shift();
        }
        done({ ok: false, reason: refusal.reason });
      },
    };
  }
}
