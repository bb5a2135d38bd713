/** A module for tools of an app's own: at most so many calls an hour, counted for as long as the session lives. */

import { type AnyTool, error, type JsonObject } from '../../index.ts';
import { defineModule } from '../../module.ts';
import { decorate, mapContent } from '../../modules/decorators/entry.ts';

const HOUR = 60 * 60 * 1000;

/** What one call adds: nothing but its key, since a fact carries its own time. */
type Call = { readonly key: string };

/** When each key was called in its last hour; a type alias, since it must be JSON. */
type Calls = { readonly [key: string]: readonly number[] };

/**
 * The calls of the last hour in the whole session, its subagents included. They count as each of them ends, and not only when
 * the whole reply has been carried out: so a call sees all others.
 */
export const rateLimits = defineModule({
  name: 'rate-limits',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    // Pure: the time is that of the fact, and what is older than an hour before it is never asked for again.
    apply(calls: Calls, { key }: Call, { at }) {
      return { ...calls, [key]: [...within(calls, key, at), at] };
    },
  },
});

/** The calls of a key that are not an hour old. Keys may come from a model, so that none is looked up as what an object inherits. */
const within = (calls: Calls, key: string, now: number): readonly number[] =>
  (Object.hasOwn(calls, key) ? (calls[key] ?? []) : []).filter((at) => at > now - HOUR);

/** How often a tool may be called, and what is counted together. */
export interface RateLimit {
  readonly perHour: number;
  /** Calls with the same key share a limit; unless given, all calls of tools of this name do. */
  readonly key?: ((input: JsonObject) => string) | undefined;
}

/**
 * Lets a tool be called so often in any hour. Every call counts that came as far as the tool, also one that failed, was
 * rejected, or was killed; the model is told below each result what is left, and when it asks for too much, until when.
 */
export const withRateLimit =
  ({ perHour, key }: RateLimit) =>
  <T extends AnyTool>(tool: T): T =>
    decorate(tool, {
      uses: [rateLimits.use()], // the app has the module by this tool
      async call(input, call) {
        const counted = key?.(input) ?? tool.name;
        const now = call.now();
        const calls = within(rateLimits.recall(call), counted, now).toSorted((a, b) => a - b);
        const [oldest = now] = calls.slice(-perHour);
        if (calls.length >= perHour) return error(refusal(counted, perHour, oldest + HOUR - now));
        // Nothing is awaited since it was looked: no other call has come in between.
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
