/** Access to the cockpit: one-time links, and the sessions they are exchanged for. Digests alone are kept. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { minutes, type TsUs, US_PER_MS } from '../../domain/units.ts';
import type { CockpitRole, CockpitSession } from './cockpit-model.ts';

const LINK_LIFE = minutes(10);
const SESSION_LIFE = minutes(24 * 60);
const LINKS_MAX = 16;
/** The oldest session goes first. */
const SESSIONS_MAX = 32;

/** Too many to be guessed, however often somebody tries. */
const SECRET_BYTES = 32;

interface Link {
  readonly role: CockpitRole;
  readonly madeUs: TsUs;
}

interface Session {
  readonly role: CockpitRole;
  readonly untilUs: number;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

export class CockpitAccess {
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();
  readonly #sessions = new Map<string, Session>();

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

  /** Undefined for a secret that is wrong, old or used. */
  exchange(secret: string): { readonly key: string; readonly session: CockpitSession } | undefined {
    const now = this.#clock.nowUs();
    const at = digest(secret);
    const link = this.#links.get(at);
    this.#links.delete(at);
    if (link === undefined || now - link.madeUs >= LINK_LIFE) return undefined;
    const key = randomBytes(SECRET_BYTES).toString('base64url');
    const session = { role: link.role, untilUs: now + SESSION_LIFE };
    this.#sessions.set(digest(key), session);
    dropOldest(this.#sessions, SESSIONS_MAX);
    return { key, session: shown(session) };
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
}

const shown = ({ role, untilUs }: Session): CockpitSession => ({
  role,
  untilRealMs: Math.floor(untilUs / US_PER_MS),
});

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
