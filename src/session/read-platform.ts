import { ConfigurationError } from '../model/configuration-error.ts';
import { TIMERS } from '../tool/async.ts';

/**
 * What one invocation may use. A turn that comes near a limit is handed over to a fresh
 * invocation: local workerd enforces none of them, and the real platform does so without a warning.
 */
export interface Platform {
  /** Requests to models, services and stores: 50 on the free plan of Workers, 10,000 on paid ones. */
  readonly subrequests: number;
  /** Requests to the platform's own, which are objects and queues: 1,000 on the free plan of Workers, 10,000 on paid ones. */
  readonly internalSubrequests: number;
  /** Milliseconds that an invocation may take in all. */
  readonly wallMs: number;
}

/** Where the Durable Objects of sessions are. Its words are those of the platform's types, which Node has not. */
export interface SessionPlace {
  /** Where an object that does not exist yet is made. */
  readonly locationHint?:
    | ('wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'apac-ne' | 'apac-se' | 'oc' | 'afr' | 'me')
    | undefined;
  /** Where its data may be kept; part of the object's identity. */
  readonly jurisdiction?: 'eu' | 'fedramp' | 'fedramp-high' | 'us' | undefined;
}

/** What the code of an app says of its platform; the rest is as its vars say. */
export type PlatformConfig = { readonly [Limit in keyof Platform]?: number | undefined };

/** On every plan: the time after which the platform ends an invocation that nobody waits for. */
const WALL_MS = 14 * 60_000;

/** What the var `PLAN` may say, and what an invocation may use then. */
const PLANS = {
  free: { subrequests: 50, internalSubrequests: 1_000, wallMs: WALL_MS },
  paid: { subrequests: 10_000, internalSubrequests: 10_000, wallMs: WALL_MS },
} as const satisfies Readonly<Record<string, Platform>>;

/** What every plan allows. */
export const DEFAULT_PLATFORM: Platform = PLANS.free;

/** The limits where nobody counts: in a test, in a process of one's own. */
export const UNLIMITED: Platform = { subrequests: Infinity, internalSubrequests: Infinity, wallMs: Infinity };

/** With less a turn could not end a batch of calls, and would be handed over for ever. */
const LEAST_SUBREQUESTS = 20;

/** The var that sets each limit, and the least that makes sense of it. */
const LIMITS = {
  subrequests: ['SUBREQUESTS', LEAST_SUBREQUESTS],
  internalSubrequests: ['INTERNAL_SUBREQUESTS', LEAST_SUBREQUESTS],
  wallMs: ['WALL_MS', 1_000],
} as const satisfies Readonly<Record<keyof Platform, readonly [string, number]>>;

type Limit = keyof Platform;

const isLimit = (name: string): name is Limit => Object.hasOwn(LIMITS, name);

/**
 * Answers what an invocation of this deployment may use: as the code says, else as the vars `SUBREQUESTS`,
 * `INTERNAL_SUBREQUESTS` and `WALL_MS` say, else as the plan allows that the var `PLAN` names, else as the free plan does.
 *
 * @throws ConfigurationError that names the var, or the property, which says something impossible.
 */
export function readPlatform(
  env: Readonly<Record<string, unknown>>,
  declared: PlatformConfig = {},
): Platform {
  checkPlatform(declared);
  const plan = planOf(env.PLAN);
  const limitOf = (limit: Limit): number => {
    const [name, least] = LIMITS[limit];
    return declared[limit] ?? fromVar(name, least, env[name]) ?? plan[limit];
  };
  return {
    subrequests: limitOf('subrequests'),
    internalSubrequests: limitOf('internalSubrequests'),
    wallMs: limitOf('wallMs'),
  };
}

/** @throws ConfigurationError when what the code declares of its platform is impossible. */
export function checkPlatform(declared: PlatformConfig): void {
  for (const [name, value] of Object.entries(declared)) {
    if (isLimit(name) && value !== undefined) checkLimit(`limits.${name}`, LIMITS[name][1], value);
  }
}

function planOf(value: unknown): Platform {
  if (value === undefined || value === '') return DEFAULT_PLATFORM;
  if (value === 'free' || value === 'paid') return PLANS[value];
  throw new ConfigurationError(`PLAN is ${said(value)}; it must be "free" or "paid".`);
}

/**
 * Reads a var that is a whole number: a text, or a number where wrangler.toml has one; one that is empty is not set.
 *
 * @throws ConfigurationError if it is another.
 */
export function fromVar(name: string, least: number, value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  const isWritten = typeof value === 'number' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value));
  return checkLimit(name, least, isWritten ? Number(value) : value);
}

function checkLimit(name: string, least: number, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigurationError(`${name} is ${said(value)}; it must be a whole number of at least ${least}.`);
}

const said = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? String(value);

/** Time as this code reads it, so that a test can hold it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Calls back once at the end of this turn of the event loop; a real timer of 0 ms does unless given. */
  soon?(run: () => void): () => void;
}

/** Calls back once at the end of this turn of the event loop, as the clock understands it; the answer cancels it. */
export function soon(clock: { readonly soon?: Clock['soon'] | undefined }, run: () => void): () => void {
  return clock.soon?.(run) ?? systemClock.after(0, run);
}

/**
 * Returns what calls back as the clock does, by one timer for all who wait: setting a timer costs more than most of what an invocation
 * does between two requests, and hardly any of its time limits is reached.
 */
export function sharedTimer(clock: Pick<Clock, 'after' | 'now'>): Clock['after'] {
  const waiting = new Set<{ readonly due: number; readonly run: () => void }>();
  let next = Infinity;
  let cancel: (() => void) | undefined;
  const set = (): void => {
    cancel?.();
    next = Infinity;
    for (const { due } of waiting) next = Math.min(next, due);
    cancel = waiting.size > 0 ? clock.after(next - clock.now(), look) : undefined;
  };
  const look = (): void => {
    try {
      for (const one of [...waiting]) if (one.due <= clock.now() && waiting.delete(one)) one.run();
    } finally {
      set();
    }
  };
  return (ms, run) => {
    // What is no number counts as no time, as it does to the platform's timer.
    const one = { due: clock.now() + (ms || 0), run };
    waiting.add(one);
    if (one.due < next) set();
    return () => {
      if (waiting.delete(one) && waiting.size === 0) set();
    };
  };
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: TIMERS.after,
};
