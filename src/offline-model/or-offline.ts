import type { ModelOfEnv } from '../model/chat-model.ts';
import { offlineModel } from './offline-model.ts';

/**
 * Creates a function that makes the planner if the var `MODEL` is `offline`, and what `model` makes otherwise. Where
 * `process.env.NODE_ENV` is `production`, as in what `wrangler deploy` bundles, it returns `model`, and the bundle carries nothing of the
 * planner; so also in a runtime without `process`, if the bundler does not define it.
 *
 * @example
 * ```ts
 * const model = orOffline(openaiCompatible()); // of createHoldfast({ agents, model })
 * ```
 */
export function orOffline<AppEnv extends object>(model: ModelOfEnv<AppEnv>): ModelOfEnv<AppEnv> {
  try {
    // A bundler drops the planner only if this literal is in the file that imports it.
    if (process.env.NODE_ENV !== 'production') {
      const make = (env: AppEnv) => (asksOffline(env) ? offlineModel() : model(env));
      return Object.assign(make, { isChecked: model.isChecked });
    }
  } catch {
    // There is no `process`, so it is not known to be development.
  }
  return model;
}

const asksOffline = (env: object): boolean => 'MODEL' in env && String(env.MODEL).trim() === 'offline';
