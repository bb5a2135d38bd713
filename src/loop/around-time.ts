import { HOOK_TIMEOUT_MS } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import { createErrorEntry, type Log } from '../tool/log.ts';
import { createFailureResult, type ToolResult } from '../tool/tool-result.ts';
import type { Holder } from './holder.ts';

/** The call whose time is limited. */
interface TimedCall {
  readonly tool: string;
  readonly log: Log;
}

/**
 * Limits the time of the code around a call's effect, until `end` cancels the timer. Waits inside the
 * library, and work with a time limit of its own, do not count.
 */
export class OverheadTimer {
  /** Resolves with an error result when the code around the effect has run for 30 seconds without a break. */
  readonly over: Promise<ToolResult>;
  readonly #names = ['its call or a decorator'];
  /** `true` when the call has ended and its code must not run any further. */
  isOver = false;
  readonly #clock: Pick<Holder, 'after'>;
  readonly #expire: () => void;
  #waits = 0;
  #cancel: () => void;

  constructor(clock: Pick<Holder, 'after'>, { tool, log }: TimedCall) {
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    this.over = promise;
    this.#clock = clock;
    this.#expire = () => {
      this.isOver = true;
      const late = `did not finish within ${HOOK_TIMEOUT_MS} ms`;
      log(
        createErrorEntry(
          `Tool '${tool}' was abandoned: ${this.#names.at(-1)} ${late}.${literals?.mending.late ?? ''}`,
        ),
      );
      resolve(
        createFailureResult('timeout', `Tool '${tool}' was not run: code that runs before it ${late}.`),
      );
    };
    this.#cancel = clock.after(HOOK_TIMEOUT_MS, this.#expire);
  }

  /** Runs code under a name that the log uses if the code takes too long. */
  readonly during = async <T>(code: string, work: () => T | Promise<T>): Promise<T> => {
    this.#names.push(code);
    try {
      return await work();
    } finally {
      this.#names.pop();
    }
  };

  /** Runs work that does not count. The time limit restarts after it. */
  readonly outside = async <T>(work: () => Promise<T>): Promise<T> => {
    this.#waits += 1;
    this.#cancel();
    try {
      return await work();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && !this.isOver) this.#cancel = this.#clock.after(HOOK_TIMEOUT_MS, this.#expire);
    }
  };

  /** Stops counting and cancels the timer. */
  end(): void {
    this.isOver = true;
    this.#cancel();
  }
}
