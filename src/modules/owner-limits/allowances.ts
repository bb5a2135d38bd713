import { usd } from '../../model/prices.ts';
import {
  type Drawn,
  type DrawRequest,
  dayOf,
  type Granted,
  type OverLimit,
  type SessionKey,
  type Settlement,
  type Standing,
  startOfDay,
  type Used,
} from './account.ts';
import { AllowanceTables, type StoredAllowance, type Totals } from './allowance-tables.ts';
import { type Daily, type ReadLimits, TENTH } from './limits.ts';

/** An allowance that is not settled after this time is looked into, in ms. It is more than twice the default term of a lease. */
const FIRST_LOOK = 60_000;

/** A turn that stays open is looked into when it is twice as old as at the last look, but after this time, in ms. */
const LONGEST_PAUSE = 60 * 60_000;

/** A request is known for so many ms less than by its session: if clocks differ, it draws again, and gives that back. */
const CLOCKS_DIFFER = 60_000;

/** In seconds: when turns that are open now may have given something back. */
const SOON = 10;

/**
 * The allowances of one owner. All that a turn draws counts as used from then on. When the turn has ended, what it has used takes the place of
 * what it has drawn. So an allowance that is never settled counts as spent.
 */
export class Allowances {
  readonly #tables: AllowanceTables;
  readonly #now: () => number;

  constructor(storage: DurableObjectStorage, now: () => number) {
    this.#tables = new AllowanceTables(storage);
    this.#now = now;
  }

  get tables(): AllowanceTables {
    return this.#tables;
  }

  /** Draws an allowance, once for a turn, and once for a request. */
  draw(asked: DrawRequest): Drawn {
    return this.#tables.change(() => this.#known(asked) ?? this.#drawNew(asked));
  }

  #known({ turn, request, ...asked }: DrawRequest): Granted | undefined {
    if (asked.for === 'session') return undefined;
    const own = this.#tables.find(turn);
    const same = own ?? (request && this.#tables.ofRequest({ ...asked, request: request.key }, this.#now()));
    if (!same) return undefined;
    // A request that is settled has a turn already, so that its session stores no other.
    if (!own && same.state !== 'settled') this.#tables.addAlias(turn, same.turn);
    // An allowance that was taken for lost: its turn may begin all the same.
    if (same.state === 'spent')
      this.#tables.update({ ...same, state: 'open', due: this.#now() + FIRST_LOOK });
    return granted(same, false);
  }

  #drawNew(asked: DrawRequest): Drawn {
    const { turn, agent, session, limits, request } = asked;
    const at = this.#now();
    const day = dayOf(at);
    const over = this.#whyOver(asked, day);
    if (over) return over;
    this.#tables.addSession(asked);
    if (asked.for === 'session') return { status: 'granted', tokens: null, cost: null, isNew: true };
    const used = this.#tables.totals(day);
    const allowance: StoredAllowance = {
      ...{ turn, agent, session, day, at },
      tokens: limits.tokens ? share(limits.tokens, used.tokens) : null,
      cost: limits.cost ? share(limits.cost, used.cost) : null,
      state: 'open',
      due: at + FIRST_LOOK,
      request: request?.key ?? null,
      knownUntil: request ? at + request.ttl - CLOCKS_DIFFER : 0,
    };
    this.#tables.add(allowance);
    this.#tables.count(day, { turns: 1, tokens: allowance.tokens ?? 0, cost: allowance.cost ?? 0 });
    return granted(allowance, true);
  }

  #whyOver(asked: DrawRequest, day: number): OverLimit | undefined {
    const { limits } = asked;
    if (asked.for !== 'late') {
      const { openSessions, running } = limits;
      const sessions =
        openSessions === undefined || this.#tables.hasSession(asked) ? 0 : this.#tables.sessions();
      if (openSessions !== undefined && sessions >= openSessions)
        return { status: 'over', limit: 'openSessions', most: openSessions, used: sessions };
      const open = running === undefined || asked.for === 'session' ? 0 : this.#tables.open();
      if (running !== undefined && open >= running)
        return { status: 'over', limit: 'running', most: running, used: open, retryAfter: SOON };
    }
    return asked.for === 'session' ? undefined : this.#whyOverDay(limits, day);
  }

  #whyOverDay({ turns, tokens, cost }: ReadLimits, day: number): OverLimit | undefined {
    const used = this.#tables.totals(day);
    const resetAt = startOfDay(day + 1);
    const untilReset = Math.ceil((resetAt - this.#now()) / 1000);
    if (turns !== undefined && used.turns >= turns)
      return {
        status: 'over',
        limit: 'turns',
        most: turns,
        used: used.turns,
        resetAt,
        retryAfter: untilReset,
      };
    for (const [limit, bound] of [['tokens', tokens] as const, ['cost', cost] as const]) {
      if (!bound || bound.most - used[limit] >= leastOf(bound)) continue;
      // What open turns have drawn, they may give back.
      const isHeld = bound.most - used[limit] + this.#tables.held(day)[limit] >= leastOf(bound);
      const retryAfter = isHeld ? Math.min(SOON, untilReset) : untilReset;
      return { status: 'over', limit, most: bound.most, used: used[limit], resetAt, retryAfter };
    }
    return undefined;
  }

  /** Takes back an allowance whose turn was not stored. One that another attempt of the same request may use stays. */
  release(turn: string): void {
    this.#tables.change(() => {
      const own = this.#tables.find(turn);
      if (!own || own.state === 'settled' || this.#tables.turnsOf(own.turn).length > 1) return;
      this.#tables.remove(turn);
      this.#tables.count(own.day, { turns: -1, tokens: -(own.tokens ?? 0), cost: -(own.cost ?? 0) });
    });
  }

  /** Counts what a turn has used in place of what it has drawn, once. */
  settle({ turn, used, ...session }: Settlement | (SessionKey & { turn: string; used: Used })): void {
    for (const steered of used.steeredBy) this.release(steered);
    this.#tables.change(() => {
      const own = this.#tables.find(turn);
      if (own?.state === 'settled') return;
      const { tokens, cost } = used;
      const day = own?.day ?? dayOf(used.startedAt);
      const drawn = own ? { turns: 1, tokens: own.tokens ?? 0, cost: own.cost ?? 0 } : NOTHING;
      // A turn without an allowance has asked no model, or has run while this object could not be asked.
      const turns = own || used.replies > 0 ? 1 : 0;
      this.#tables.count(day, {
        turns: turns - drawn.turns,
        tokens: tokens - drawn.tokens,
        cost: usd(cost - drawn.cost),
      });
      if (own) this.#tables.update({ ...own, state: 'settled' });
      else this.#tables.add({ ...NOT_DRAWN, ...key(session), turn, day, at: this.#now() });
    });
  }

  /** Has an allowance looked into later: its turn is open. */
  keepOpen(allowance: StoredAllowance): void {
    const age = this.#now() - allowance.at;
    const due = this.#now() + Math.min(Math.max(age, FIRST_LOOK), LONGEST_PAUSE);
    this.#tables.change(() => this.#tables.update({ ...allowance, due }));
  }

  /** No turn has this allowance: it counts as spent. */
  spend(allowance: StoredAllowance): void {
    this.#tables.change(() => this.#tables.update({ ...allowance, state: 'spent' }));
  }

  standing(): Standing {
    const day = dayOf(this.#now());
    return {
      ...this.#tables.totals(day),
      openSessions: this.#tables.sessions(),
      running: this.#tables.open(),
      resetAt: startOfDay(day + 1),
    };
  }

  /** Removes what no repetition can name any more, and days that are over. */
  forgetOld(): void {
    const now = this.#now();
    // A turn may be settled a day after it has begun.
    this.#tables.change(() => this.#tables.forgetBefore({ day: dayOf(now) - 1, now }));
  }

  /** Returns when there is something to do, in ms since the epoch; `undefined` for never. */
  nextDue(): number | undefined {
    const due = this.#tables.firstDue();
    const cleaning = this.#tables.hasRows() ? startOfDay(dayOf(this.#now()) + 1) : undefined;
    return due === undefined || cleaning === undefined ? (due ?? cleaning) : Math.min(due, cleaning);
  }
}

const NOTHING: Totals = { turns: 0, tokens: 0, cost: 0 };

const NOT_DRAWN = {
  tokens: null,
  cost: null,
  state: 'settled',
  due: 0,
  request: null,
  knownUntil: 0,
} as const;

const key = ({ agent, session }: SessionKey): SessionKey => ({ agent, session });

/** The least that must be left for a turn to begin. */
const leastOf = ({ allowance }: Daily): number => allowance / TENTH;

/** What a turn draws of a day of which this much is used. */
const share = ({ most, allowance }: Daily, used: number): number => Math.min(allowance, usd(most - used));

const granted = ({ tokens, cost }: StoredAllowance, isNew: boolean): Granted => ({
  status: 'granted',
  tokens,
  cost,
  isNew,
});
