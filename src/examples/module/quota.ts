/**
 * Defines a module of an app, which limits the calls of each tool in a session. It also counts model calls,
 * and reports both counts.
 */

import type { ModuleUse } from '../../index.ts';
import { defineModule, defineRoute } from '../../module.ts';

/** The number of calls, by tool name. A type alias, since an interface is not assignable to JSON. */
type Counts = { readonly [name: string]: number };

/** The name under which model calls are counted. No tool can have it. */
const MODEL = '(model)';

/** Define a module once and keep it in a constant. Its state survives crashes. `apply` must be pure. */
export const quota = defineModule({
  name: 'quota',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    apply: (counts: Counts, name: string): Counts => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }),
  },
});

/** Limits each tool to `most` calls. Goes into `use` of `createHoldfast`. */
export const withQuota = (most: number): ModuleUse =>
  quota.use({
    // Runs before each model call. Adds an event to the journal.
    async prepare(loop) {
      quota.remember(loop, MODEL);
    },
    // Wraps each call. Stores the fact with the end of the call, whether the call succeeds or fails.
    call(call, next) {
      quota.remember(call, call.tool, { on: 'end' });
      return next();
    },
    // Removes the tools that have reached the limit.
    offer(tools, view) {
      const counts = quota.recall(view);
      return tools.some(({ name }) => isUsedUp(counts, name, most))
        ? tools.filter(({ name }) => !isUsedUp(counts, name, most))
        : tools;
    },
    // GET /quota returns the limit to authenticated callers.
    routes: [
      defineRoute({
        method: 'GET',
        path: '/quota',
        handle: async () => Response.json({ callsOfEachTool: most }),
      }),
    ],
  });

const isUsedUp = (counts: Counts, name: string, most: number): boolean =>
  Object.hasOwn(counts, name) && (counts[name] ?? 0) >= most;
