/** A module for an app's own tools: it limits their calls in an hour, over the whole session. */

import { type AnyTool, error, type JsonObject } from '../../index.ts';
import { defineModule } from '../../module.ts';
import { decorate, mapContent } from '../../modules/decorators/entry.ts';

const HOUR = 60 * 60 * 1000;

/** The fact of one call: only its key, since each fact has its time. */
type Call = { readonly key: string };

/** The times of each key's calls in its last hour. A type alias, since it must be JSON. */
type Calls = { readonly [key: string]: readonly number[] };

/**
 * The calls of the last hour in the whole session, including its subagents. Each call counts as soon as it
 * ends, before the whole reply is done, so every call sees all others.
 */
export const rateLimits = defineModule({
  name: 'rate-limits',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    // Pure: it uses the time of the fact, and drops calls that are an hour older.
    apply(calls: Calls, { key }: Call, { at }) {
      return { ...calls, [key]: [...within(calls, key, at), at] };
    },
  },
});

/**
 * Returns the calls of a key in the last hour. A key can come from a model, so inherited properties are not
 * read.
 */
const within = (calls: Calls, key: string, now: number): readonly number[] =>
  (Object.hasOwn(calls, key) ? (calls[key] ?? []) : []).filter((at) => at > now - HOUR);

/** The limit of a tool's calls, and their key. */
export interface RateLimit {
  readonly perHour: number;
  /** Calls with the same key share a limit. Defaults to one limit for all calls of the tool's name. */
  readonly key?: ((input: JsonObject) => string) | undefined;
}

/**
 * Limits the calls of a tool in any hour. Every call that reaches the tool counts, including one that failed,
 * was rejected, or was killed. Each result tells the model how many calls are left, and a refusal tells it
 * when to try again.
 */
export const withRateLimit =
  ({ perHour, key }: RateLimit) =>
  <T extends AnyTool>(tool: T): T =>
    decorate(tool, {
      uses: [rateLimits.use()], // brings the module to the app
      async call(input, call) {
        const counted = key?.(input) ?? tool.name;
        const now = call.now();
        const calls = within(rateLimits.recall(call), counted, now).toSorted((a, b) => a - b);
        const [oldest = now] = calls.slice(-perHour);
        if (calls.length >= perHour) return error(refusal(counted, perHour, oldest + HOUR - now));
        // No `await` since the check, so other calls cannot have run in between.
        rateLimits.remember(call, { key: counted }, { on: 'end' });
        const result = await tool.call(input, call);
        const left = perHour - calls.length - 1;
        return mapContent(
          result,
          (content) => `${content}\n\n${left} of ${perHour} calls an hour are left for '${counted}'.`,
        );
      },
    });

const refusal = (key: string, perHour: number, wait: number): string =>
  `Not run: all ${perHour} calls an hour for '${key}' are used up. The next one is possible in ${Math.ceil(wait / 60_000)} min.`;
