import { HOOK_TIME } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import { type Log, mistake } from '../tool/log.ts';
import { failure, type ToolResult } from '../tool/tool-result.ts';
import type { Holder } from './holder.ts';

/** The call whose time is counted. */
interface Timed {
  readonly tool: string;
  readonly log: Log;
}

/**
 * Counts the time that code around one call takes, until `end`, which leaves no timer behind. The waits of the library, and what has a
 * time limit of its own, are not in it.
 */
export class AroundTime {
  /** Resolves with what the model is answered, once code around the call has run for half a minute at a stretch. */
  readonly over: Promise<ToolResult>;
  readonly #names = ['its call or a decorator'];
  /** The call was ended: nothing of it may run any more. */
  isOver = false;
  readonly #clock: Pick<Holder, 'after'>;
  readonly #expire: () => void;
  #waits = 0;
  #cancel: () => void;

  constructor(clock: Pick<Holder, 'after'>, { tool, log }: Timed) {
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    this.over = promise;
    this.#clock = clock;
    this.#expire = () => {
      this.isOver = true;
      const late = `did not finish within ${HOOK_TIME} ms`;
      log(mistake(`Tool '${tool}' was left: ${this.#names.at(-1)} ${late}.${literals?.mending.late ?? ''}`));
      resolve(failure('timeout', `Tool '${tool}' was not run: code that runs before it ${late}.`));
    };
    this.#cancel = clock.after(HOOK_TIME, this.#expire);
  }

  /** Runs code under a name, by which the log tells of it. */
  readonly during = async <T>(code: string, work: () => T | Promise<T>): Promise<T> => {
    this.#names.push(code);
    try {
      return await work();
    } finally {
      this.#names.pop();
    }
  };

  /** Runs work that is not counted. The time restarts after it. */
  readonly outside = async <T>(work: () => Promise<T>): Promise<T> => {
    this.#waits += 1;
    this.#cancel();
    try {
      return await work();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && !this.isOver) this.#cancel = this.#clock.after(HOOK_TIME, this.#expire);
    }
  };

  /** Nothing more is counted. */
  end(): void {
    this.isOver = true;
    this.#cancel();
  }
}
