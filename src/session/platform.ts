import type { SessionPort } from '../journal/session-port.ts';

/**
 * What one invocation may use (DESIGN 8). A turn that comes near a limit is handed over to a fresh invocation: local
 * workerd enforces none of them, and the real platform does so without a warning.
 */
export interface Platform {
  /** Requests to models, services and objects: 50 on the free plan of Workers, 10,000 on paid ones. */
  readonly subrequests: number;
  /** Milliseconds that an invocation may take in all. */
  readonly wallMs: number;
  /** Milliseconds of CPU. */
  readonly cpuMs: number;
  /** Milliseconds of CPU that this invocation has used so far. Workers do not tell: estimated by its work unless given. */
  readonly cpuUsed?: ((work: Work) => number) | undefined;
}

/** What an invocation has done so far. */
export interface Work {
  readonly subrequests: number;
  /** Characters of events that were read and folded. */
  readonly folded: number;
}

/** What every plan allows, and the time after which the platform ends an invocation that nobody waits for. */
export const DEFAULT_PLATFORM: Platform = { subrequests: 50, wallMs: 14 * 60_000, cpuMs: 30_000 };

/** Where nobody counts: in a test, in a process of one's own. */
export const UNLIMITED: Platform = { subrequests: Infinity, wallMs: Infinity, cpuMs: Infinity };

/** With less a turn could not end a batch of calls, and would be handed over for ever. */
export const LEAST_SUBREQUESTS = 20;

/** What is kept back: six calls that run, their starts and ends, the end of the turn, and a few that are repeated. */
const RESERVE = { subrequests: 12, wallMs: 30_000, cpu: 0.2 };

/** Milliseconds of CPU, as measured with `npm run bench`: a loop of ten iterations makes some thirty subrequests in 10 ms. */
const CPU_PER_SUBREQUEST = 0.5;
const CPU_PER_CHARACTER = 1 / 50_000;

/** Counts what one invocation uses. */
export class Meter {
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #began: number;
  #subrequests = 0;
  #folded = 0;

  constructor(platform: Platform, now: () => number) {
    this.#platform = platform;
    this.#now = now;
    this.#began = now();
  }

  spend(subrequests = 1): void {
    this.#subrequests += subrequests;
  }

  /** Characters of events were read. */
  fold(characters: number): void {
    this.#folded += characters;
  }

  /** What there is too little left of to begin anything more, in words; `undefined` while there is enough. */
  get short(): string | undefined {
    const { subrequests, cpuMs, cpuUsed = estimatedCpu } = this.#platform;
    if (this.#subrequests > subrequests - RESERVE.subrequests) return `${subrequests} subrequests`;
    if (this.msLeft <= 0) return `${this.#platform.wallMs} ms`;
    const cpu = cpuUsed({ subrequests: this.#subrequests, folded: this.#folded });
    return cpu > cpuMs * (1 - RESERVE.cpu) ? `${cpuMs} ms of CPU` : undefined;
  }

  /** Milliseconds until the time of the invocation is nearly over. */
  get msLeft(): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - Math.min(RESERVE.wallMs, wallMs / 2) - this.#now();
  }

  /** Counts every message to the session. */
  counted(port: SessionPort): SessionPort {
    const counting =
      <Args extends unknown[], Answer>(send: (...args: Args) => Answer) =>
      (...args: Args): Answer => {
        this.spend();
        return send(...args);
      };
    return {
      accept: counting(port.accept),
      begin: counting(port.begin),
      resume: counting(port.resume),
      append: counting(port.append),
      renew: counting(port.renew),
      post: counting(port.post),
      read: counting(port.read),
      watch: counting(port.watch),
      erase: counting(port.erase),
    };
  }
}

const estimatedCpu = ({ subrequests, folded }: Work): number =>
  subrequests * CPU_PER_SUBREQUEST + folded * CPU_PER_CHARACTER;
