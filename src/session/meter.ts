import type { SessionPort } from '../journal/session-port.ts';
import type { Needs } from '../loop/holder.ts';
import type { Platform, Work } from './read-platform.ts';

/**
 * Kept back from work: six calls that run, their starts and ends, the end of the turn, and a few that are
 * repeated.
 */
const RESERVE = { subrequests: 12, wallMs: 30_000, cpu: 0.2 };

/** Kept back from those who only watch: to leave the line, and to be told how to go on. */
const LAST = { subrequests: 3, wallMs: 5_000, cpu: 0.1 };

/** Messages that lead to a lease. */
const FRESH = 2;

/**
 * Milliseconds of CPU, as measured with `npm run bench`: a loop of ten iterations makes some thirty
 * subrequests in 10 ms.
 */
const CPU_PER_SUBREQUEST = 0.5;
const CPU_PER_CHARACTER = 1 / 50_000;

/** Counts what one invocation of the Worker uses: all its turns, and its messages to any object. */
export class Meter {
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #began: number;
  readonly #counted = new WeakSet<SessionPort>();
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

  /** So many requests that hardly one is left. */
  get outOfRequests(): string | undefined {
    const { subrequests } = this.#platform;
    return this.#subrequests > subrequests - LAST.subrequests ? this.#said('subrequests') : undefined;
  }

  /** Hardly anything was done so far: what does not fit now, fits into no invocation. */
  get isFresh(): boolean {
    return this.#subrequests <= FRESH;
  }

  /** What there is too little left of to begin anything more, in words; `undefined` while there is enough. */
  get short(): string | undefined {
    return this.#shortOf(RESERVE);
  }

  /** As `short`, for whoever only reads and watches: there is just enough left to say so. */
  get over(): string | undefined {
    return this.#shortOf(LAST);
  }

  /** Milliseconds until the time of the invocation is nearly over. */
  get msLeft(): number {
    return this.#msLeft(RESERVE);
  }

  /** Milliseconds until a watcher is to stop. */
  get msToWatch(): number {
    return this.#msLeft(LAST);
  }

  /** The requests that one piece of work may need: more do not fit into any invocation. */
  get mostAtOnce(): number {
    return this.#platform.subrequests - RESERVE.subrequests;
  }

  /**
   * What is left is too little of for this piece of work, in words. Of time, one never begins with less
   * than half an invocation left that may need more than what is left: most work takes a fraction of its
   * timeout.
   */
  shortFor({ subrequests, ms }: Needs): string | undefined {
    const { wallMs } = this.#platform;
    if (this.#subrequests + subrequests > this.mostAtOnce) return this.#said('subrequests');
    const reserve = reserveOf(RESERVE.wallMs, wallMs);
    const isLate = this.msLeft + reserve < Math.min(ms, (wallMs - reserve) / 2);
    return isLate ? this.#said('wallMs') : undefined;
  }

  /** Counts every message to the session; a port that is counted here already is answered as it is. */
  counted(port: SessionPort): SessionPort {
    if (this.#counted.has(port)) return port;
    const counting =
      <Args extends unknown[], Answer>(send: (...args: Args) => Answer) =>
      (...args: Args): Answer => {
        this.spend();
        return send(...args);
      };
    const counted: SessionPort = {
      accept: counting(port.accept),
      begin: counting(port.begin),
      resume: counting(port.resume),
      append: counting(port.append),
      renew: counting(port.renew),
      post: counting(port.post),
      read: counting(port.read),
      file: counting(port.file),
      watch: counting(port.watch),
      erase: counting(port.erase),
    };
    this.#counted.add(counted);
    return counted;
  }

  #shortOf(kept: typeof RESERVE): string | undefined {
    const { subrequests, cpuMs, cpuUsed = estimatedCpu } = this.#platform;
    if (this.#subrequests > subrequests - kept.subrequests) return this.#said('subrequests');
    if (this.#msLeft(kept) <= 0) return this.#said('wallMs');
    const used = cpuUsed({ subrequests: this.#subrequests, folded: this.#folded });
    return used > cpuMs * (1 - kept.cpu) ? this.#said('cpuMs') : undefined;
  }

  #msLeft(kept: typeof RESERVE): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - reserveOf(kept.wallMs, wallMs) - this.#now();
  }

  #said(limit: keyof typeof UNITS): string {
    return `${this.#platform[limit]} ${UNITS[limit]}`;
  }
}

const UNITS = { subrequests: 'subrequests', wallMs: 'ms', cpuMs: 'ms of CPU' } as const;

/**
 * Milliseconds that are kept back. Of a short invocation no more than half, and for watchers a twelfth:
 * what is left of a reserve is the next one's.
 */
const reserveOf = (ms: number, wallMs: number): number => Math.min(ms, (wallMs * ms) / 60_000);

/** Milliseconds of CPU that the loop itself has used; what the code of tools uses is seen by nobody. */
const estimatedCpu = ({ subrequests, folded }: Work): number =>
  subrequests * CPU_PER_SUBREQUEST + folded * CPU_PER_CHARACTER;
