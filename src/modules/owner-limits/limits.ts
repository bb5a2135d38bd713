/** The limits of an owner, as an app declares them, and as the object that counts receives them. */
import { isCount } from '../../loop/policies.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { unknownProblems } from '../../tool/json.ts';
import type { Env } from '../../worker/host.ts';

/** Bounds for the sessions of one owner. What is absent is not bounded. */
export interface OwnerPlan {
  /** In one day of UTC. A turn counts on the day on which it is accepted. */
  readonly perDay?: DailyLimits | undefined;
  /** Sessions that exist: those that are erased do not count. */
  readonly openSessions?: number | undefined;
  /** Turns that have begun, wait in line or wait for an answer, and have not ended. */
  readonly running?: number | undefined;
  /**
   * The most that one turn may use of `perDay`, which it draws before it begins, and of which it gives back what it did not use. Each
   * defaults to a tenth of the day. A turn draws less if less is left, and is refused if less than a tenth of the allowance is left.
   */
  readonly allowance?: Allowance | undefined;
}

/** Bounds for one day. */
export interface DailyLimits {
  readonly turns?: number | undefined;
  /** Tokens that models may use, input and output together. */
  readonly tokens?: number | undefined;
  /** The same in USD. The models of all agents must have prices. */
  readonly cost?: number | undefined;
}

/** The most that one turn may use. */
export interface Allowance {
  readonly tokens?: number | undefined;
  /** In USD. */
  readonly cost?: number | undefined;
}

/** Returns the limits of an owner, such as those of its plan. It may look them up; what it throws is treated as `onUnavailable` says. */
export type LimitsOfOwner = (owner: Owner, env: Env) => OwnerPlan | Promise<OwnerPlan>;

/** What happens to a turn if the limits cannot be read within two seconds. */
export interface WhenUnavailable {
  /**
   * `refuse`: the turn is refused with 503. `allow`: the turn runs without bounds, and counts when it has ended. Defaults to `refuse`.
   */
  readonly onUnavailable?: 'allow' | 'refuse' | undefined;
}

/** The names of limits, as problems and reports have them. */
export const LIMIT_NAMES = ['turns', 'tokens', 'cost', 'openSessions', 'running'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** What one turn may use of a day. */
export interface Daily {
  readonly most: number;
  readonly allowance: number;
}

/** Limits as the object receives them. */
export interface ReadLimits {
  readonly turns?: number | undefined;
  readonly tokens?: Daily | undefined;
  readonly cost?: Daily | undefined;
  readonly openSessions?: number | undefined;
  readonly running?: number | undefined;
}

/** By which part of a day's limit a turn is bounded, and of its allowance that must be left. */
export const TENTH = 10;

/** Reads declared limits. @throws ConfigurationError if one is no positive number, or is unknown. */
export function readLimits(limits: OwnerPlan): ReadLimits {
  const problem = problemOf(limits);
  if (problem !== undefined) throw new ConfigurationError(`ownerLimits: ${problem}.`);
  const { perDay: { turns, tokens, cost } = {}, openSessions, running, allowance = {} } = limits;
  return {
    ...{ turns, openSessions, running },
    tokens: tokens === undefined ? undefined : daily(tokens, allowance.tokens ?? Math.ceil(tokens / TENTH)),
    cost: cost === undefined ? undefined : daily(cost, allowance.cost ?? cost / TENTH),
  };
}

const daily = (most: number, allowance: number): Daily => ({ most, allowance: Math.min(most, allowance) });

function problemOf(limits: OwnerPlan): string | undefined {
  if (typeof limits !== 'object' || limits === null) return 'it needs an object of limits';
  const { perDay = {}, allowance = {} } = limits;
  const [unknown] = [
    ...unknownProblems(limits, { perDay: 1, openSessions: 1, running: 1, allowance: 1, onUnavailable: 1 }),
    ...unknownProblems(perDay, { turns: 1, tokens: 1, cost: 1 }),
    ...unknownProblems(allowance, { tokens: 1, cost: 1 }),
  ];
  if (unknown !== undefined) return unknown;
  const counts = {
    ...{ 'perDay.turns': perDay.turns, 'perDay.tokens': perDay.tokens, 'allowance.tokens': allowance.tokens },
    ...{ openSessions: limits.openSessions, running: limits.running },
  };
  for (const [name, value] of Object.entries(counts))
    if (value !== undefined && !isCount(value)) return `${name} is ${value}; use a positive whole number`;
  for (const [name, value] of Object.entries({
    'perDay.cost': perDay.cost,
    'allowance.cost': allowance.cost,
  }))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      return `${name} is ${value}; use a positive number of USD`;
  for (const name of ['tokens', 'cost'] as const)
    if (allowance[name] !== undefined && perDay[name] === undefined)
      return `allowance.${name} needs perDay.${name}`;
  return undefined;
}
