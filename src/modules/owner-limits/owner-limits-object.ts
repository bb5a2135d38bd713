import { DurableObject } from 'cloudflare:workers';
import type { SessionObject } from '../../../durable-objects/session-object.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import type { AccountOwner, Drawn, DrawRequest, SessionKey, Settlement, Standing } from './account.ts';
import type { StoredAllowance } from './allowance-tables.ts';
import { Allowances } from './allowances.ts';
import { usedBy } from './used.ts';

/** The binding that the limits of owners need beside their own. */
export interface OwnerLimitsEnv {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
}

/** How many allowances one alarm looks into: each is a request, of which the free plan has 50 for an invocation. */
const LOOKED_AT_ONCE = 40;

/** What could not be looked into is tried again after this time, in ms. */
const AGAIN = 60_000;

/** A look at a session, and whether something was drawn in it meanwhile. */
interface Look extends SessionKey {
  isDrawn: boolean;
}

/**
 * Counts for one owner: what its turns have drawn and used today, which of them are open, and which sessions exist. Its alarm looks into the
 * allowances that no Worker has settled.
 */
export class OwnerLimits extends DurableObject<OwnerLimitsEnv> {
  readonly #allowances: Allowances;
  readonly #now: () => number;
  readonly #looks = new Set<Look>();
  /** When the alarm is set for; `undefined`: it is not known. */
  #alarmAt: number | undefined;

  /** `now`: the time in ms since the epoch. The platform gives no clock, so that it is the system's; a test can hold it. */
  constructor(ctx: DurableObjectState, env: OwnerLimitsEnv, now = () => Date.now()) {
    super(ctx, env);
    this.#now = now;
    this.#allowances = new Allowances(ctx.storage, now);
  }

  /** Draws an allowance for a turn, or notes a session. */
  async draw(asked: DrawRequest): Promise<Drawn> {
    for (const look of this.#looks)
      if (look.agent === asked.agent && look.session === asked.session) look.isDrawn = true;
    const drawn = this.#allowances.draw(asked);
    if (drawn.status === 'granted') await this.#keep(asked);
    return drawn;
  }

  /** Takes back an allowance whose turn was not stored. */
  release(turn: string): void {
    this.#allowances.release(turn);
  }

  /** Counts what a turn has used that has ended. */
  async settle(settlement: Settlement): Promise<void> {
    this.#allowances.settle(settlement);
    await this.#keep(settlement);
  }

  standing(): Standing {
    return this.#allowances.standing();
  }

  /**
   * Looks into a session that is about to be erased, or was: settles its turns that have ended, and counts it no more if it is gone. A session
   * in which a turn may be about to begin is looked into by the alarm.
   */
  async look(session: SessionKey): Promise<void> {
    const look: Look = { ...session, isDrawn: false };
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
      const due = this.#allowances.tables.due(this.#now(), LOOKED_AT_ONCE);
      const looked = await Promise.all(due.map((one) => this.#lookAgain(one)));
      if (looked.includes(false)) pause = AGAIN;
      this.#allowances.forgetOld();
    } catch (thrown) {
      pause = AGAIN;
      const message = `the limits of an owner could not be looked into, and are tried again: ${String(thrown)}`;
      console.error(JSON.stringify({ level: 'error', event: 'other', message }));
    }
    await this.#schedule(pause);
  }

  /** Looks into an allowance that is due. Returns `false` if its session could not be read. */
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

  /** Asks the session what became of a turn. */
  async #lookInto(allowance: StoredAllowance): Promise<void> {
    for (const turn of this.#allowances.tables.turnsOf(allowance.turn)) {
      const used = await usedBy(this.#session(allowance), turn);
      if (!used || used.state === 'unknown') continue;
      if (used.state === 'open') this.#allowances.keepOpen(allowance);
      else if (used.state === 'steered') this.#allowances.release(turn);
      else this.#allowances.settle({ ...allowance, turn, used });
      return;
    }
    // A turn that is on its way begins within a minute, or counts as spent while it runs.
    if (allowance.due <= this.#now()) this.#allowances.spend(allowance);
  }

  async #exists(session: SessionKey): Promise<boolean> {
    return (await this.#session(session).read({ from: 1, limit: 1 })) !== null;
  }

  #session({ agent, session }: SessionKey): Pick<SessionPort, 'read'> {
    const { SESSIONS } = this.env;
    const { owner, jurisdiction } = this.#allowances.tables.owner() as AccountOwner; // noted with the first row
    const objects = jurisdiction === undefined ? SESSIONS : SESSIONS.jurisdiction(jurisdiction);
    const object = objects.getByName(toSessionName({ owner, agent, session }));
    return { read: async (query) => object.read(query) };
  }

  async #keep(owner: AccountOwner): Promise<void> {
    this.#allowances.tables.belongTo(owner);
    await this.#schedule();
  }

  /** Sets the alarm to what is due first, but no sooner than after `pause` ms. One that is sooner stays. */
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
