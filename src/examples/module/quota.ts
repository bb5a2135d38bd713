/**
 * A module of an app: it limits the calls of each tool in a session. It also counts model calls, and reports
 * both.
 */

import type { ModuleUse } from '../../index.ts';
import { defineModule, defineRoute } from '../../module.ts';

/** The number of calls, by tool name. A type alias, since it must be JSON. */
type Counts = { readonly [name: string]: number };

/** The name for model calls. It is not a valid tool name. */
const MODEL = '(model)';

/** The module, a constant. Its state survives every crash. `apply` must be pure. */
export const quota = defineModule({
  name: 'quota',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    apply: (counts: Counts, name: string): Counts => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }),
  },
});

/** A use of it, for `use` of `createHoldfast`: `most` calls of each tool. */
export const quotas = (most: number): ModuleUse =>
  quota.use({
    // Before each model call: adds an event of its own to the journal.
    async prepare(loop) {
      quota.remember(loop, MODEL);
    },
    // Around each call: the fact is stored with the call's end, whether it succeeds or not.
    call(call, next) {
      quota.remember(call, call.tool, { on: 'end' });
      return next();
    },
    // Removes a tool that has reached the limit.
    offer(tools, view) {
      const counts = quota.recall(view);
      return tools.some(({ name }) => isUsedUp(counts, name, most))
        ? tools.filter(({ name }) => !isUsedUp(counts, name, most))
        : tools;
    },
    // GET /quota returns the limit, to callers that the app has authenticated.
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
