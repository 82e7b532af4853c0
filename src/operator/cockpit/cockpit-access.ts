/** Access to the cockpit: one-time links, the sessions they are exchanged for, and the lock after wrong tries. Digests alone are kept. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { minutes, toMs, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import { dropOldest, getOrCreate } from '../../domain/lists.ts';
import type { CockpitRole, CockpitSession } from './cockpit-model.ts';

const LINK_LIFE = minutes(10);
const SESSION_LIFE = minutes(24 * 60);
const LINKS_MAX = 16;
/** The oldest session goes first. */
const SESSIONS_MAX = 32;

/** Wrong tries of one source before it is locked out, and of all together. */
const SOURCE_TRIES_MAX = 5;
const ALL_TRIES_MAX = 50;
const SOURCE_LOCK_MIN = minutes(1);
const LOCK_MAX = minutes(60);
/** A client with more addresses meets the lock of all. */
const SOURCES_MAX = 1_000;

const SECRET_BYTES = 32;

interface Link {
  readonly role: CockpitRole;
  readonly madeUs: TsUs;
}

interface Session {
  readonly role: CockpitRole;
  readonly untilUs: number;
}

/** Wrong tries since the last lock. */
class Lock {
  readonly #triesMax: number;
  #tries = 0;
  #locks = 0;
  #fromUs = -Infinity;
  #untilUs = -Infinity;

  constructor(triesMax: number) {
    this.#triesMax = triesMax;
  }

  /** True when this try begins a lock. Each lock is twice as long as the one before it. */
  wrong(nowUs: TsUs): boolean {
    if (nowUs - this.#untilUs > LOCK_MAX) this.#locks = 0;
    this.#tries += 1;
    if (this.#tries < this.#triesMax || nowUs < this.#untilUs) return false;
    this.#tries = 0;
    this.#fromUs = nowUs;
    this.#untilUs = nowUs + Math.min(LOCK_MAX, SOURCE_LOCK_MIN * 2 ** this.#locks);
    this.#locks += 1;
    return true;
  }

  /** A link that was made during the lock opens all the same: only the owner makes links. */
  holds(nowUs: TsUs, link: Link | undefined): boolean {
    return nowUs < this.#untilUs && (link === undefined || link.madeUs < this.#fromUs);
  }

  secondsLeft(nowUs: TsUs): number {
    return Math.max(0, Math.ceil((this.#untilUs - nowUs) / US_PER_SECOND));
  }
}

export type SignInResult =
  | { readonly ok: true; readonly key: string; readonly session: CockpitSession }
  /** `isNew`: this try began the lock. */
  | { readonly ok: false; readonly lockedSeconds: number; readonly isNew: boolean };

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

export class CockpitAccess {
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();
  readonly #sessions = new Map<string, Session>();
  readonly #locks = new Map<string, Lock>();
  readonly #lockOfAll = new Lock(ALL_TRIES_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  createLink(role: CockpitRole): string {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    this.#links.set(digest(secret), { role, madeUs: this.#clock.nowUs() });
    dropOldest(this.#links, LINKS_MAX);
    return secret;
  }

  /** Someone wrote it where others read it. */
  voidLink(secret: string): boolean {
    return this.#links.delete(digest(secret));
  }

  /** A lock refuses right secrets too, but for those made since it began. */
  exchange(secret: string, source: string): SignInResult {
    const now = this.#clock.nowUs();
    const key = digest(secret);
    const found = this.#links.get(key);
    const link = found !== undefined && now - found.madeUs < LINK_LIFE ? found : undefined;
    const own = this.#lockOf(source);
    if (own.holds(now, link) || this.#lockOfAll.holds(now, link)) return this.#locked(own, now, false);
    this.#links.delete(key);
    if (link === undefined) {
      const isOwnNew = own.wrong(now);
      return this.#locked(own, now, this.#lockOfAll.wrong(now) || isOwnNew);
    }
    this.#locks.delete(source);
    const session = randomBytes(SECRET_BYTES).toString('base64url');
    const untilUs = now + SESSION_LIFE;
    this.#sessions.set(digest(session), { role: link.role, untilUs });
    dropOldest(this.#sessions, SESSIONS_MAX);
    return { ok: true, key: session, session: shown({ role: link.role, untilUs }) };
  }

  /** Undefined for a key that is missing, wrong or old. */
  sessionOf(key: string | undefined): CockpitSession | undefined {
    if (key === undefined) return undefined;
    const at = digest(key);
    const session = this.#sessions.get(at);
    if (session === undefined) return undefined;
    if (this.#clock.nowUs() < session.untilUs) return shown(session);
    this.#sessions.delete(at);
    return undefined;
  }

  end(key: string): void {
    this.#sessions.delete(digest(key));
  }

  #locked(own: Lock, now: TsUs, isNew: boolean): SignInResult {
    const lockedSeconds = Math.max(own.secondsLeft(now), this.#lockOfAll.secondsLeft(now));
    return { ok: false, lockedSeconds, isNew };
  }

  #lockOf(source: string): Lock {
    const lock = getOrCreate(this.#locks, source, () => new Lock(SOURCE_TRIES_MAX));
    dropOldest(this.#locks, SOURCES_MAX);
    return lock;
  }
}

const shown = ({ role, untilUs }: Session): CockpitSession => ({
  role,
  untilRealMs: toMs(untilUs),
});
