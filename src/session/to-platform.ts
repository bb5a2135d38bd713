import { ConfigurationError } from '../model/configuration-error.ts';
import { DEFAULT_PLATFORM, LEAST_SUBREQUESTS, type PlatformConfig, type PlatformLimits } from './platform.ts';

/** The var that sets each limit, and the least that makes sense of it. */
const LIMITS = {
  subrequests: ['SUBREQUESTS', LEAST_SUBREQUESTS],
  cpuMs: ['CPU_MS', 1],
  wallMs: ['WALL_MS', 1_000],
} as const satisfies Readonly<Record<keyof PlatformLimits, readonly [string, number]>>;

type Limit = keyof PlatformLimits;

const isLimit = (name: string): name is Limit => Object.hasOwn(LIMITS, name);

/**
 * What an invocation of this deployment may use: as the code says, else as the vars `SUBREQUESTS`, `CPU_MS`
 * and `WALL_MS` say, else as the free plan allows.
 *
 * @throws ConfigurationError that names the var, or the property, which says something impossible.
 */
export function toPlatform(
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
