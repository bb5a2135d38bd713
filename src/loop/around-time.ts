import { HOOK_TIME } from '../tool/async.ts';
import { type Log, mistake } from '../tool/log.ts';
import { failure, type ToolResult } from '../tool/tool-result.ts';
import type { Holder } from './holder.ts';

/** The time that code around one call takes. The waits of the library, and what has a time limit of its own, are not in it. */
export interface AroundTime {
  /** Resolves with what the model is answered, once code around the call has run for half a minute at a stretch. */
  readonly over: Promise<ToolResult>;
  /** @throws Error if the call was ended: nothing of it may run any more. */
  assertCounts(): void;
  /** Runs code under a name, by which the log tells of it. */
  during<T>(code: string, work: () => T | Promise<T>): Promise<T>;
  /** Runs work that is not counted. The time restarts after it. */
  outside<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing more is counted. */
  end(): void;
}

/** Counts the code around the calls of one batch. */
export interface AroundTimes {
  /** Counts for one call from now on, until its end, which leaves no timer behind. */
  begin(tool: string, log: Log): AroundTime;
}

/** Makes the count of one batch, whose calls share one timer: most calls have no code around them that waits. */
export function aroundTimes(clock: Pick<Holder, 'after' | 'now'>): AroundTimes {
  /** When each call that is counted is over its time, soonest first: all have the same. */
  const dues = new Map<() => void, number>();
  let cancel: (() => void) | undefined;

  function look(): void {
    cancel = undefined;
    for (const [expire, due] of dues) {
      const left = due - clock.now();
      if (left > 0) {
        cancel = clock.after(left, look);
        return;
      }
      dues.delete(expire);
      expire();
    }
  }

  return {
    begin(tool, log) {
      const { promise: over, resolve } = Promise.withResolvers<ToolResult>();
      const names = ['its call or a decorator'];
      let waits = 0;
      let isOver = false;
      const expire = (): void => {
        isOver = true;
        const late = `did not finish within ${HOOK_TIME} ms`;
        log(mistake(`Tool '${tool}' was left: ${names.at(-1)} ${late}. Give it a time limit of its own.`));
        resolve(failure('timeout', `Tool '${tool}' was not run: code that runs before it ${late}.`));
      };
      const count = (): void => {
        dues.set(expire, clock.now() + HOOK_TIME);
        cancel ??= clock.after(HOOK_TIME, look);
      };
      count();
      return {
        over,
        assertCounts() {
          if (isOver) throw new Error('The call has ended, and nothing of it may run any more.');
        },
        async during(code, work) {
          names.push(code);
          try {
            return await work();
          } finally {
            names.pop();
          }
        },
        async outside(work) {
          waits += 1;
          dues.delete(expire);
          try {
            return await work();
          } finally {
            waits -= 1;
            if (waits === 0 && !isOver) count();
          }
        },
        end() {
          isOver = true;
          dues.delete(expire);
          if (dues.size > 0) return;
          cancel?.();
          cancel = undefined;
        },
      };
    },
  };
}
