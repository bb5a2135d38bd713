/** Defines a module and a decorator that limit how often a tool can run per hour, across the whole session. */

import { type AnyTool, error, type JsonObject } from '../../index.ts';
import { defineModule } from '../../module.ts';
import { decorate, mapContent } from '../../modules/decorators/entry.ts';

const HOUR = 60 * 60 * 1000;

/** The fact about one call. It contains only the key, since the journal adds the time. */
type Call = { readonly key: string };

/**
 * The times of the calls in the last hour, by key. A type alias, since an interface is not assignable to
 * JSON.
 */
type Calls = { readonly [key: string]: readonly number[] };

/**
 * Records the calls of the last hour in the whole session, including its subagents. A call counts as soon as
 * it ends, even if other calls of the reply are still running.
 */
export const rateLimits = defineModule({
  name: 'rate-limits',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    // Pure: uses the fact's own time, and drops calls from more than an hour before it.
    apply(calls: Calls, { key }: Call, { at }) {
      return { ...calls, [key]: [...listRecentCalls(calls, key, at), at] };
    },
  },
});

/**
 * Returns the calls of a key in the last hour. A key can come from a model, so inherited properties are not
 * read.
 */
const listRecentCalls = (calls: Calls, key: string, now: number): readonly number[] =>
  (Object.hasOwn(calls, key) ? (calls[key] ?? []) : []).filter((at) => at > now - HOUR);

/** The limit on a tool's calls, and the key by which they are counted. */
export interface RateLimit {
  readonly perHour: number;
  /** Calls with the same key share a limit. Defaults to the tool's name. */
  readonly key?: ((input: JsonObject) => string) | undefined;
}

/**
 * Limits the calls to a tool in any hour. Every call that reaches the tool counts, even if it fails, is
 * rejected or is killed. Each result shows the model how many calls are left, and a refusal shows when to try
 * again.
 */
export const withRateLimit =
  ({ perHour, key }: RateLimit) =>
  <T extends AnyTool>(tool: T): T =>
    decorate(tool, {
      uses: [rateLimits.use()], // adds the module to the app
      async call(input, call) {
        const counted = key?.(input) ?? tool.name;
        const now = call.now();
        const calls = listRecentCalls(rateLimits.recall(call), counted, now).toSorted((a, b) => a - b);
        const [oldest = now] = calls.slice(-perHour);
        if (calls.length >= perHour) return error(formatRefusal(counted, perHour, oldest + HOUR - now));
        // There is no `await` after the check, so no other call can have run in between.
        rateLimits.remember(call, { key: counted }, { on: 'end' });
        const result = await tool.call(input, call);
        const left = perHour - calls.length - 1;
        return mapContent(
          result,
          (content) => `${content}\n\n${left} of ${perHour} calls an hour are left for '${counted}'.`,
        );
      },
    });

const formatRefusal = (key: string, perHour: number, wait: number): string =>
  `Not run: all ${perHour} calls an hour for '${key}' are used up. The next one is possible in ${Math.ceil(wait / 60_000)} min.`;
