import { DurableObject } from 'cloudflare:workers';
import type { SessionObject } from '../../../durable-objects/session-object.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import type { AccountOwner, DrawRequest, DrawResult, OwnerUsage, SessionKey, Settlement } from './account.ts';
import type { StoredAllowance } from './allowance-tables.ts';
import { Allowances } from './allowances.ts';
import { readTurnUsage } from './used.ts';

export interface OwnerLimitsEnv {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
}

/**
 * The number of allowances that one alarm checks. Each needs a request, and an invocation on the free plan
 * can make 50.
 */
const CHECKS_PER_ALARM = 40;

/** Milliseconds until a failed check is retried. */
const RETRY_MS = 60_000;

/** A check of a session, and whether a turn of it drew an allowance during the check. */
interface AllowanceCheck extends SessionKey {
  isDrawn: boolean;
}

/**
 * Counts the usage of one owner's turns today, its open turns, and its sessions. Its alarm checks the
 * allowances that no Worker has settled.
 */
export class OwnerLimits extends DurableObject<OwnerLimitsEnv> {
  readonly #allowances: Allowances;
  readonly #now: () => number;
  readonly #looks = new Set<AllowanceCheck>();
  /** The time of the alarm, or `undefined` if it is not known. */
  #alarmAt: number | undefined;

  /**
   * `now` returns the time in milliseconds since the epoch. Defaults to the system clock, because the
   * platform passes only two arguments.
   */
  constructor(ctx: DurableObjectState, env: OwnerLimitsEnv, now = () => Date.now()) {
    super(ctx, env);
    this.#now = now;
    this.#allowances = new Allowances(ctx.storage, now);
  }

  /** Draws an allowance for a turn, or records a session. */
  async draw(asked: DrawRequest): Promise<DrawResult> {
    for (const look of this.#looks)
      if (look.agent === asked.agent && look.session === asked.session) look.isDrawn = true;
    const drawn = this.#allowances.draw(asked);
    if (drawn.status === 'granted') await this.#keep(asked);
    return drawn;
  }

  /** Releases an allowance whose turn was not stored. */
  release(turn: string): void {
    this.#allowances.release(turn);
  }

  /** Counts the usage of a turn that has ended. */
  async settle(settlement: Settlement): Promise<void> {
    this.#allowances.settle(settlement);
    await this.#keep(settlement);
  }

  standing(): OwnerUsage {
    return this.#allowances.standing();
  }

  /**
   * Checks a session that is about to be erased, or was erased. Settles its ended turns, and stops counting
   * it if it no longer exists. If a turn may be about to start in the session, the alarm checks it later.
   */
  async look(session: SessionKey): Promise<void> {
    const look: AllowanceCheck = { ...session, isDrawn: false };
    this.#looks.add(look);
    try {
      const open = this.#allowances.tables.openIn(session);
      for (const one of open) await this.#lookInto(one);
      if (!this.#allowances.tables.hasSession(session) || (await this.#exists(session))) return;
      if (look.isDrawn || this.#allowances.tables.openIn(session).length > 0) return;
      this.#allowances.tables.change(() => this.#allowances.tables.removeSession(session));
    } finally {
      this.#looks.delete(look);
    }
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    let pause = 0;
    try {
      const due = this.#allowances.tables.due(this.#now(), CHECKS_PER_ALARM);
      const looked = await Promise.all(due.map((one) => this.#lookAgain(one)));
      if (looked.includes(false)) pause = RETRY_MS;
      this.#allowances.forgetOld();
    } catch (thrown) {
      pause = RETRY_MS;
      const message = `the limits of an owner could not be updated, and are retried: ${String(thrown)}`;
      console.error(JSON.stringify({ level: 'error', event: 'other', message }));
    }
    await this.#schedule(pause);
  }

  /** Checks a due allowance. Returns `false` if its session could not be read. */
  async #lookAgain(allowance: StoredAllowance): Promise<boolean> {
    try {
      await this.#lookInto(allowance);
      const [still] = this.#allowances.tables.openIn(allowance).filter(({ turn }) => turn === allowance.turn);
      if (!still) await this.look(allowance);
      return true;
    } catch {
      return false;
    }
  }

  /** Reads the state of a turn from its session. */
  async #lookInto(allowance: StoredAllowance): Promise<void> {
    for (const turn of this.#allowances.tables.turnsOf(allowance.turn)) {
      const used = await readTurnUsage(this.#session(allowance), turn);
      if (!used || used.state === 'unknown') continue;
      if (used.state === 'open') this.#allowances.keepOpen(allowance);
      else if (used.state === 'steered') this.#allowances.release(turn);
      else this.#allowances.settle({ ...allowance, turn, used });
      return;
    }
    // A turn on its way starts within a minute. Otherwise, its allowance counts as spent.
    if (allowance.due <= this.#now()) this.#allowances.spend(allowance);
  }

  async #exists(session: SessionKey): Promise<boolean> {
    return (await this.#session(session).read({ from: 1, limit: 1 })) !== null;
  }

  #session({ agent, session }: SessionKey): Pick<SessionPort, 'read'> {
    const { SESSIONS } = this.env;
    const { owner, jurisdiction } = this.#allowances.tables.owner() as AccountOwner; // stored with the first row
    const objects = jurisdiction === undefined ? SESSIONS : SESSIONS.jurisdiction(jurisdiction);
    const object = objects.getByName(toSessionName({ owner, agent, session }));
    return { read: async (query) => object.read(query) };
  }

  async #keep(owner: AccountOwner): Promise<void> {
    this.#allowances.tables.belongTo(owner);
    await this.#schedule();
  }

  /** Sets the alarm to the next due time, but at least `pause` ms from now. Keeps an earlier alarm. */
  async #schedule(pause = 0): Promise<void> {
    const due = this.#allowances.nextDue();
    if (due === undefined) return;
    this.#alarmAt ??= (await this.ctx.storage.getAlarm()) ?? Infinity;
    const at = Math.max(due, this.#now() + pause);
    if (this.#alarmAt <= at) return;
    this.#alarmAt = at;
    await this.ctx.storage.setAlarm(at);
  }
}
