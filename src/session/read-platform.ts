import { ConfigurationError } from '../model/configuration-error.ts';
import { TIMERS } from '../tool/async.ts';

/**
 * The limits of one invocation. A turn near a limit is handed over to a fresh invocation. Local workerd
 * enforces none of the limits, and the real platform enforces them without warning.
 */
export interface Platform {
  /** Requests to models, services and stores: 50 on the free Workers plan, 10,000 on paid plans. */
  readonly subrequests: number;
  /**
   * Requests to the platform's own objects and queues: 1,000 on the free Workers plan, 10,000 on paid plans.
   */
  readonly internalSubrequests: number;
  /** The total milliseconds of an invocation. */
  readonly wallMs: number;
}

/**
 * The location of the sessions' Durable Objects. The values are those of the platform's types, which Node
 * lacks.
 */
export interface SessionPlace {
  /** Where to create an object that does not exist yet. */
  readonly locationHint?:
    | ('wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'apac-ne' | 'apac-se' | 'oc' | 'afr' | 'me')
    | undefined;
  /** Where its data must stay. Part of the object's identity. */
  readonly jurisdiction?: 'eu' | 'fedramp' | 'fedramp-high' | 'us' | undefined;
}

/** The platform limits that an app's code sets. Vars decide the others. */
export type PlatformConfig = { readonly [Limit in keyof Platform]?: number | undefined };

/** The time after which every plan ends an invocation that no client waits for. */
const DEFAULT_WALL_MS = 14 * 60_000;

/** The values of the var `PLAN`, and the limits of each. */
const PLANS = {
  free: { subrequests: 50, internalSubrequests: 1_000, wallMs: DEFAULT_WALL_MS },
  paid: { subrequests: 10_000, internalSubrequests: 10_000, wallMs: DEFAULT_WALL_MS },
} as const satisfies Readonly<Record<string, Platform>>;

/** The limits that every plan allows. */
export const DEFAULT_PLATFORM: Platform = PLANS.free;

/** No limits, for a test or a process of your own. */
export const UNLIMITED_PLATFORM: Platform = {
  subrequests: Infinity,
  internalSubrequests: Infinity,
  wallMs: Infinity,
};

/**
 * The minimum number of requests. With fewer, a turn could not finish a batch of calls, and would be handed
 * over forever.
 */
const MIN_SUBREQUESTS = 20;

/** The var that sets each limit, and its minimum. */
const LIMIT_VARS = {
  subrequests: ['SUBREQUESTS', MIN_SUBREQUESTS],
  internalSubrequests: ['INTERNAL_SUBREQUESTS', MIN_SUBREQUESTS],
  wallMs: ['WALL_MS', 1_000],
} as const satisfies Readonly<Record<keyof Platform, readonly [string, number]>>;

type PlatformLimit = keyof Platform;

const isLimit = (name: string): name is PlatformLimit => Object.hasOwn(LIMIT_VARS, name);

/**
 * Returns the limits of an invocation. The code's own values come first, then the vars `SUBREQUESTS`,
 * `INTERNAL_SUBREQUESTS` and `WALL_MS`, then the plan in the var `PLAN`. Defaults to the free plan.
 *
 * @throws ConfigurationError if a value is invalid. The message names the var or the property.
 */
export function readPlatform(
  env: Readonly<Record<string, unknown>>,
  declared: PlatformConfig = {},
): Platform {
  checkPlatform(declared);
  const plan = parsePlan(env.PLAN);
  const resolveLimit = (limit: PlatformLimit): number => {
    const [name, least] = LIMIT_VARS[limit];
    return declared[limit] ?? parseNumberVar(name, least, env[name]) ?? plan[limit];
  };
  return {
    subrequests: resolveLimit('subrequests'),
    internalSubrequests: resolveLimit('internalSubrequests'),
    wallMs: resolveLimit('wallMs'),
  };
}

/** @throws ConfigurationError if a limit in the code is invalid. */
export function checkPlatform(declared: PlatformConfig): void {
  for (const [name, value] of Object.entries(declared)) {
    if (isLimit(name) && value !== undefined) checkLimit(`limits.${name}`, LIMIT_VARS[name][1], value);
  }
}

function parsePlan(value: unknown): Platform {
  if (value === undefined || value === '') return DEFAULT_PLATFORM;
  if (value === 'free' || value === 'paid') return PLANS[value];
  throw new ConfigurationError(`PLAN is ${formatValue(value)}. It must be "free" or "paid".`);
}

/**
 * Reads a var that is a whole number: a string, or a number from wrangler.toml. An empty string counts as
 * unset.
 *
 * @throws ConfigurationError if it is not a whole number of at least `least`.
 */
export function parseNumberVar(name: string, least: number, value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  const isWritten = typeof value === 'number' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value));
  return checkLimit(name, least, isWritten ? Number(value) : value);
}

function checkLimit(name: string, least: number, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigurationError(
    `${name} is ${formatValue(value)}. It must be a whole number of at least ${least}.`,
  );
}

const formatValue = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? String(value);

/** The time source of this code. Tests replace it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Calls back once at the end of this turn of the event loop. Defaults to a timer of 0 ms. */
  soon?(run: () => void): () => void;
}

/**
 * Calls back once at the end of this turn of the event loop, by the clock's `soon`. Returns a function that
 * cancels it.
 */
export function runSoon(clock: { readonly soon?: Clock['soon'] | undefined }, run: () => void): () => void {
  return clock.soon?.(run) ?? systemClock.after(0, run);
}

/**
 * Returns an `after` that serves all callers with one timer. Setting a timer costs more than most of an
 * invocation's work between two requests, and few of its time limits are ever reached.
 */
export function createSharedTimer(clock: Pick<Clock, 'after' | 'now'>): Clock['after'] {
  const waiting = new Set<{ readonly due: number; readonly run: () => void }>();
  let next = Infinity;
  let cancel: (() => void) | undefined;
  const setTimer = (): void => {
    cancel?.();
    next = Infinity;
    for (const { due } of waiting) next = Math.min(next, due);
    cancel = waiting.size > 0 ? clock.after(next - clock.now(), runDue) : undefined;
  };
  const runDue = (): void => {
    try {
      for (const one of [...waiting]) if (one.due <= clock.now() && waiting.delete(one)) one.run();
    } finally {
      setTimer();
    }
  };
  return (ms, run) => {
    // A NaN delay counts as 0, as in the platform's own timer.
    const one = { due: clock.now() + (ms || 0), run };
    waiting.add(one);
    if (one.due < next) setTimer();
    return () => {
      if (waiting.delete(one) && waiting.size === 0) setTimer();
    };
  };
}

/** The platform's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: TIMERS.after,
};
