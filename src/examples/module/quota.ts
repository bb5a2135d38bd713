/** A module of an app's own: each tool may be called only so often in a session. It counts model calls too, and tells both. */

import type { ModuleUse } from '../../index.ts';
import { defineModule, defineRoute } from '../../module.ts';

/** How often each was called, by its name; a type alias, since it must be JSON. */
type Counts = { readonly [name: string]: number };

/** What a model call counts as: no tool can be called so. */
const MODEL = '(model)';

/** The module, a constant. What it remembers survives every crash; `apply` is pure. */
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
    // Before each model call: an event of its own in the journal.
    async prepare(loop) {
      quota.remember(loop, MODEL);
    },
    // Around each call: what is remembered is stored with the call's end, whether it succeeds or not.
    call(call, next) {
      quota.remember(call, call.tool, { on: 'end' });
      return next();
    },
    // A tool that was called too often is not offered any more.
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
