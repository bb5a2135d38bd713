import { roundUsd } from '../../model/prices.ts';
import {
  type DrawRequest,
  type DrawResult,
  type GrantedAllowance,
  type OverLimit,
  type OwnerUsage,
  type SessionKey,
  type Settlement,
  startOfDay,
  type TurnUsage,
  toDayNumber,
} from './account.ts';
import { AllowanceTables, type DayTotals, type StoredAllowance } from './allowance-tables.ts';
import { ALLOWANCE_DIVISOR, type DailyLimit, type ParsedLimits } from './limits.ts';

/**
 * Milliseconds until an unsettled allowance is checked. It is more than twice the default term of a lease.
 */
const FIRST_CHECK_MS = 60_000;

/**
 * The maximum pause between checks of an open turn, in milliseconds. Otherwise, a turn is checked again when
 * it is twice as old as at the last check.
 */
const MAX_CHECK_PAUSE_MS = 60 * 60_000;

/**
 * This object forgets a request this many milliseconds before the session does. If clocks differ, the request
 * draws again and returns the second allowance.
 */
const CLOCK_SKEW_MS = 60_000;

/** Seconds until the open turns may have returned a part of their allowances. */
const RETRY_AFTER_S = 10;

/**
 * The allowances of one owner. An allowance counts as used as soon as it is drawn. When the turn has ended,
 * its actual usage replaces the allowance. An allowance that is never settled counts as spent.
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

  /** Draws an allowance, at most once per turn and once per request. */
  draw(asked: DrawRequest): DrawResult {
    return this.#tables.change(() => this.#known(asked) ?? this.#drawNew(asked));
  }

  #known({ turn, request, ...asked }: DrawRequest): GrantedAllowance | undefined {
    if (asked.for === 'session') return undefined;
    const own = this.#tables.find(turn);
    const same = own ?? (request && this.#tables.ofRequest({ ...asked, request: request.key }, this.#now()));
    if (!same) return undefined;
    // A settled request already has a turn, so its session does not store another.
    if (!own && same.state !== 'settled') this.#tables.addAlias(turn, same.turn);
    // The allowance was considered lost, but its turn can still start.
    if (same.state === 'spent')
      this.#tables.update({ ...same, state: 'open', due: this.#now() + FIRST_CHECK_MS });
    return toGrantedAllowance(same, false);
  }

  #drawNew(asked: DrawRequest): DrawResult {
    const { turn, agent, session, limits, request } = asked;
    const at = this.#now();
    const day = toDayNumber(at);
    const over = this.#whyOver(asked, day);
    if (over) return over;
    this.#tables.addSession(asked);
    if (asked.for === 'session') return { status: 'granted', tokens: null, cost: null, isNew: true };
    const used = this.#tables.totals(day);
    const allowance: StoredAllowance = {
      ...{ turn, agent, session, day, at },
      tokens: limits.tokens ? computeAllowance(limits.tokens, used.tokens) : null,
      cost: limits.cost ? computeAllowance(limits.cost, used.cost) : null,
      state: 'open',
      due: at + FIRST_CHECK_MS,
      request: request?.key ?? null,
      knownUntil: request ? at + request.ttl - CLOCK_SKEW_MS : 0,
    };
    this.#tables.add(allowance);
    this.#tables.count(day, { turns: 1, tokens: allowance.tokens ?? 0, cost: allowance.cost ?? 0 });
    return toGrantedAllowance(allowance, true);
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
        return { status: 'over', limit: 'running', most: running, used: open, retryAfter: RETRY_AFTER_S };
    }
    return asked.for === 'session' ? undefined : this.#whyOverDay(limits, day);
  }

  #whyOverDay({ turns, tokens, cost }: ParsedLimits, day: number): OverLimit | undefined {
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
      if (!bound || bound.most - used[limit] >= getMinAllowance(bound)) continue;
      // Open turns can return part of their allowances.
      const isHeld = bound.most - used[limit] + this.#tables.held(day)[limit] >= getMinAllowance(bound);
      const retryAfter = isHeld ? Math.min(RETRY_AFTER_S, untilReset) : untilReset;
      return { status: 'over', limit, most: bound.most, used: used[limit], resetAt, retryAfter };
    }
    return undefined;
  }

  /**
   * Releases an allowance whose turn was not stored. Keeps it if another attempt of the same request can use
   * it.
   */
  release(turn: string): void {
    this.#tables.change(() => {
      const own = this.#tables.find(turn);
      if (!own || own.state === 'settled' || this.#tables.turnsOf(own.turn).length > 1) return;
      this.#tables.remove(turn);
      this.#tables.count(own.day, { turns: -1, tokens: -(own.tokens ?? 0), cost: -(own.cost ?? 0) });
    });
  }

  /** Replaces an allowance with the actual usage of its turn, once. */
  settle({ turn, used, ...session }: Settlement | (SessionKey & { turn: string; used: TurnUsage })): void {
    for (const steered of used.steeredBy) this.release(steered);
    this.#tables.change(() => {
      const own = this.#tables.find(turn);
      if (own?.state === 'settled') return;
      const { tokens, cost } = used;
      const day = own?.day ?? toDayNumber(used.startedAt);
      const drawn = own ? { turns: 1, tokens: own.tokens ?? 0, cost: own.cost ?? 0 } : ZERO_TOTALS;
      // A turn without an allowance called no model, or ran while this object was unreachable.
      const turns = own || used.replies > 0 ? 1 : 0;
      this.#tables.count(day, {
        turns: turns - drawn.turns,
        tokens: tokens - drawn.tokens,
        cost: roundUsd(cost - drawn.cost),
      });
      if (own) this.#tables.update({ ...own, state: 'settled' });
      else this.#tables.add({ ...UNDRAWN_ALLOWANCE, ...toSessionKey(session), turn, day, at: this.#now() });
    });
  }

  /** Schedules another check of an allowance, because its turn is open. */
  keepOpen(allowance: StoredAllowance): void {
    const age = this.#now() - allowance.at;
    const due = this.#now() + Math.min(Math.max(age, FIRST_CHECK_MS), MAX_CHECK_PAUSE_MS);
    this.#tables.change(() => this.#tables.update({ ...allowance, due }));
  }

  /** Counts an allowance as spent, because its turn was not found. */
  spend(allowance: StoredAllowance): void {
    this.#tables.change(() => this.#tables.update({ ...allowance, state: 'spent' }));
  }

  standing(): OwnerUsage {
    const day = toDayNumber(this.#now());
    return {
      ...this.#tables.totals(day),
      openSessions: this.#tables.sessions(),
      running: this.#tables.open(),
      resetAt: startOfDay(day + 1),
    };
  }

  /** Removes expired requests and past days. */
  forgetOld(): void {
    const now = this.#now();
    // A turn can be settled a day after its start.
    this.#tables.change(() => this.#tables.forgetBefore({ day: toDayNumber(now) - 1, now }));
  }

  /**
   * Returns the time of the next due work in milliseconds since the epoch, or `undefined` if no work is due.
   */
  nextDue(): number | undefined {
    const due = this.#tables.firstDue();
    const cleaning = this.#tables.hasRows() ? startOfDay(toDayNumber(this.#now()) + 1) : undefined;
    return due === undefined || cleaning === undefined ? (due ?? cleaning) : Math.min(due, cleaning);
  }
}

const ZERO_TOTALS: DayTotals = { turns: 0, tokens: 0, cost: 0 };

const UNDRAWN_ALLOWANCE = {
  tokens: null,
  cost: null,
  state: 'settled',
  due: 0,
  request: null,
  knownUntil: 0,
} as const;

const toSessionKey = ({ agent, session }: SessionKey): SessionKey => ({ agent, session });

/** Returns the minimum that must be left for a turn to start. */
const getMinAllowance = ({ allowance }: DailyLimit): number => allowance / ALLOWANCE_DIVISOR;

/** Returns the allowance that a turn draws from a day with this usage. */
const computeAllowance = ({ most, allowance }: DailyLimit, used: number): number =>
  Math.min(allowance, roundUsd(most - used));

const toGrantedAllowance = ({ tokens, cost }: StoredAllowance, isNew: boolean): GrantedAllowance => ({
  status: 'granted',
  tokens,
  cost,
  isNew,
});
