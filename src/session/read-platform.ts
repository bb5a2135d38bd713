import { ConfigurationError } from '../model/configuration-error.ts';

/**
 * What one invocation may use. A turn that comes near a limit is handed over to a fresh
 * invocation: local workerd enforces none of them, and the real platform does so without a warning.
 */
export interface Platform {
  /** Requests to models, services and objects: 50 on the free plan of Workers, 10,000 on paid ones. */
  readonly subrequests: number;
  /** Milliseconds that an invocation may take in all. */
  readonly wallMs: number;
  /**
   * Milliseconds of CPU. Workers do not tell what they have used, so that is estimated by the work of the
   * loop; the CPU of the code of tools is not counted.
   */
  readonly cpuMs: number;
  /**
   * Milliseconds of CPU that an invocation has used which has done so much. No deployment can supply it:
   * with it a test brings an invocation to its limit.
   */
  readonly cpuUsed?: ((work: Work) => number) | undefined;
}

/** The limits that a deployment can set. */
type PlatformLimits = Pick<Platform, 'subrequests' | 'wallMs' | 'cpuMs'>;

/** What the code of an app says of its platform; the rest is as its vars say. */
export type PlatformConfig = { readonly [Limit in keyof PlatformLimits]?: number | undefined };

/** What an invocation has done so far. */
export interface Work {
  readonly subrequests: number;
  /** Characters of events that were read and folded. */
  readonly folded: number;
}

/** What every plan allows, and the time after which the platform ends an invocation that nobody waits for. */
export const DEFAULT_PLATFORM: PlatformLimits = { subrequests: 50, wallMs: 14 * 60_000, cpuMs: 30_000 };

/** The limits where nobody counts: in a test, in a process of one's own. */
export const UNLIMITED: PlatformLimits = { subrequests: Infinity, wallMs: Infinity, cpuMs: Infinity };

/** With less a turn could not end a batch of calls, and would be handed over for ever. */
const LEAST_SUBREQUESTS = 20;

/** The var that sets each limit, and the least that makes sense of it. */
const LIMITS = {
  subrequests: ['SUBREQUESTS', LEAST_SUBREQUESTS],
  cpuMs: ['CPU_MS', 1],
  wallMs: ['WALL_MS', 1_000],
} as const satisfies Readonly<Record<keyof PlatformLimits, readonly [string, number]>>;

type Limit = keyof PlatformLimits;

const isLimit = (name: string): name is Limit => Object.hasOwn(LIMITS, name);

/**
 * Answers what an invocation of this deployment may use: as the code says, else as the vars `SUBREQUESTS`, `CPU_MS` and
 * `WALL_MS` say, else as the free plan allows.
 *
 * @throws ConfigurationError that names the var, or the property, which says something impossible.
 */
export function readPlatform(
  env: Readonly<Record<string, unknown>>,
  declared: PlatformConfig = {},
): PlatformLimits {
  checkPlatform(declared);
  const limitOf = (limit: Limit): number => {
    const [name, least] = LIMITS[limit];
    return declared[limit] ?? fromVar(name, least, env[name]) ?? DEFAULT_PLATFORM[limit];
  };
  return {
    subrequests: limitOf('subrequests'),
    cpuMs: limitOf('cpuMs'),
    wallMs: limitOf('wallMs'),
  };
}

/** @throws ConfigurationError when what the code declares of its platform is impossible. */
export function checkPlatform(declared: PlatformConfig): void {
  for (const [name, value] of Object.entries(declared)) {
    if (isLimit(name) && value !== undefined) checkLimit(`platform.${name}`, LIMITS[name][1], value);
  }
}

/** A var is a text, or a number where wrangler.toml has one; one that is empty is not set. */
function fromVar(name: string, least: number, value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  const isWritten = typeof value === 'number' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value));
  return checkLimit(name, least, isWritten ? Number(value) : value);
}

function checkLimit(name: string, least: number, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  const said = JSON.stringify(value)?.slice(0, 40) ?? String(value);
  throw new ConfigurationError(`${name} is ${said}; it must be a whole number of at least ${least}.`);
}

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

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
