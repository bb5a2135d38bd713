/** The limits of an owner, as declared by an app and as sent to the object that counts. */
import { isCount } from '../../loop/policies.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { listUnknownKeyProblems } from '../../tool/json.ts';
import type { Env } from '../../worker/host.ts';

/** Limits for the sessions of one owner. Absent limits are not enforced. */
export interface OwnerPlan {
  /** Limits per UTC day. A turn counts on the day on which it is accepted. */
  readonly perDay?: DailyLimits | undefined;
  /** The maximum number of existing sessions. Erased sessions do not count. */
  readonly openSessions?: number | undefined;
  /** The maximum number of running and waiting turns. */
  readonly running?: number | undefined;
  /**
   * The maximum that one turn can use of `perDay`. The turn draws it before it starts, and returns the unused
   * rest. Each amount defaults to a tenth of the daily limit. A turn draws less if less is left, and is
   * refused if less than a tenth of the allowance is left.
   */
  readonly allowance?: Allowance | undefined;
}

/** Limits for one day. */
export interface DailyLimits {
  readonly turns?: number | undefined;
  /** The maximum number of tokens, input and output together. */
  readonly tokens?: number | undefined;
  /** The maximum cost of models in USD. The models of all agents must have prices. */
  readonly cost?: number | undefined;
}

/** The maximum that one turn may use. */
export interface Allowance {
  readonly tokens?: number | undefined;
  /** In USD. */
  readonly cost?: number | undefined;
}

/**
 * Returns the limits of an owner, such as those of its plan. It can be asynchronous. `onUnavailable` applies
 * if it throws.
 */
export type LimitsOfOwner = (owner: Owner, env: Env) => OwnerPlan | Promise<OwnerPlan>;

/** The behavior if the limits cannot be read within two seconds. */
export interface UnavailablePolicy {
  /**
   * `refuse` refuses the turn with 503. `allow` runs the turn without limits, and counts it when it has
   * ended. Defaults to `refuse`.
   */
  readonly onUnavailable?: 'allow' | 'refuse' | undefined;
}

/** The names of limits in problems and reports. */
export const LIMIT_NAMES = ['turns', 'tokens', 'cost', 'openSessions', 'running'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** A daily limit, and the maximum that one turn can use of it. */
export interface DailyLimit {
  readonly most: number;
  readonly allowance: number;
}

/** Limits as sent to the object. */
export interface ParsedLimits {
  readonly turns?: number | undefined;
  readonly tokens?: DailyLimit | undefined;
  readonly cost?: DailyLimit | undefined;
  readonly openSessions?: number | undefined;
  readonly running?: number | undefined;
}

/**
 * The default allowance is the daily limit divided by this number. The same fraction of an allowance must be
 * left for a turn to start.
 */
export const ALLOWANCE_DIVISOR = 10;

/** Reads declared limits. @throws ConfigurationError if a limit is not a positive number, or is unknown. */
export function readLimits(limits: OwnerPlan): ParsedLimits {
  const problem = findLimitsProblem(limits);
  if (problem !== undefined) throw new ConfigurationError(`ownerLimits: ${problem}.`);
  const { perDay: { turns, tokens, cost } = {}, openSessions, running, allowance = {} } = limits;
  return {
    ...{ turns, openSessions, running },
    tokens:
      tokens === undefined
        ? undefined
        : toDailyLimit(tokens, allowance.tokens ?? Math.ceil(tokens / ALLOWANCE_DIVISOR)),
    cost: cost === undefined ? undefined : toDailyLimit(cost, allowance.cost ?? cost / ALLOWANCE_DIVISOR),
  };
}

const toDailyLimit = (most: number, allowance: number): DailyLimit => ({
  most,
  allowance: Math.min(most, allowance),
});

function findLimitsProblem(limits: OwnerPlan): string | undefined {
  if (typeof limits !== 'object' || limits === null) return 'the limits must be an object';
  const { perDay = {}, allowance = {} } = limits;
  const [unknown] = [
    ...listUnknownKeyProblems(limits, {
      perDay: 1,
      openSessions: 1,
      running: 1,
      allowance: 1,
      onUnavailable: 1,
    }),
    ...listUnknownKeyProblems(perDay, { turns: 1, tokens: 1, cost: 1 }),
    ...listUnknownKeyProblems(allowance, { tokens: 1, cost: 1 }),
  ];
  if (unknown !== undefined) return unknown;
  const counts = {
    ...{ 'perDay.turns': perDay.turns, 'perDay.tokens': perDay.tokens, 'allowance.tokens': allowance.tokens },
    ...{ openSessions: limits.openSessions, running: limits.running },
  };
  for (const [name, value] of Object.entries(counts))
    if (value !== undefined && !isCount(value)) return `${name} is ${value}. Use a positive whole number`;
  for (const [name, value] of Object.entries({
    'perDay.cost': perDay.cost,
    'allowance.cost': allowance.cost,
  }))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      return `${name} is ${value}. Use a positive number of USD`;
  for (const name of ['tokens', 'cost'] as const)
    if (allowance[name] !== undefined && perDay[name] === undefined)
      return `allowance.${name} requires perDay.${name}`;
  return undefined;
}
