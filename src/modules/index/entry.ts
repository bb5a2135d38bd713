/**
 * The entry `holdfast/index`: lists of sessions, one inbox for all of them, the usage of owners, and the
 * erasure of all data of an owner.
 */
import { STOP_SEAM } from '../../session/turn-end.ts';
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import { createRetentionWrapper } from '../../worker/keeping.ts';
import { COPY_BY_NAME, COPY_BY_USE, type IndexCopy } from './index-copy.ts';
import { INDEX_ROUTES } from './index-routes.ts';
import { assertIndexBound, getIndexPlace } from './owner-index.ts';
import { LOOK_REF, refreshDueSession, withReporting } from './reporting.ts';
import { INDEX_MODULE } from './titles.ts';

export type {
  Inbox,
  IndexedOwner,
  ListedSession,
  OwnerList,
  ReadSession,
  SessionList,
  SessionStatus,
  TitledSession,
  UsageReport,
  WaitingSession,
} from '../../worker/index-views.ts';
export type { ReindexPage as Reindexed } from './ask.ts';
export { indexDescription } from './describe.ts';
export type { IndexCopy } from './index-copy.ts';
export { IndexObject } from './index-object.ts';
export {
  indexOf,
  type OwnerUsageQuery,
  type PageQuery,
  type SessionIndex,
  type SessionsQuery,
} from './index-of.ts';

export { type ModelTitlesOptions, modelTitles } from './model-titles.ts';

/** Options of `sessionIndex`. */
export interface IndexOptions {
  /** A copy of the index in another store, such as `d1Reports()` from `holdfast/index/d1`. Defaults to no copy. */
  readonly also?: IndexCopy | undefined;
}

/**
 * Maintains an index of all sessions. Pass it in `use` of `createHoldfast`. Sessions report to it in the
 * background, so no request waits for it. They resend reports that did not arrive. It needs a binding INDEX
 * of the class `IndexObject`, which this entry exports.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [sessionIndex()] });
 * ```
 */
export function sessionIndex({ also }: IndexOptions = {}): ModuleUse {
  const use = createUse(INDEX_MODULE);
  if (also) {
    COPY_BY_NAME.set(also.name, also);
    COPY_BY_USE.set(use, also);
  }
  STOP_SEAM.give(use, () => ({ agenda: [{ ref: LOOK_REF }] }));
  DUE.give(use, refreshDueSession);
  APP.give(use, {
    routes: () => INDEX_ROUTES,
    check(env) {
      assertIndexBound(env);
      also?.check(env);
    },
    keeping: createRetentionWrapper,
    wraps: (app) => (port, name, env) => withReporting(port, name, getIndexPlace(env, app.use)),
  });
  return use;
}
