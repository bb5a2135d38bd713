/**
 * What one invocation may use (DESIGN 8). A turn that comes near a limit is handed over to a fresh
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
export type PlatformLimits = Pick<Platform, 'subrequests' | 'wallMs' | 'cpuMs'>;

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

/** Where nobody counts: in a test, in a process of one's own. */
export const UNLIMITED: PlatformLimits = { subrequests: Infinity, wallMs: Infinity, cpuMs: Infinity };

/** With less a turn could not end a batch of calls, and would be handed over for ever. */
export const LEAST_SUBREQUESTS = 20;
