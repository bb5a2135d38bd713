/** The entry `holdfast/retry`: retries the last message of a session if its turn has no answer. */

import { withArtifacts } from '../../tool/kept-values.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { awaitView } from '../../worker/begun-turn.ts';
import type { Session, SessionAnswer } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { retryTurn } from './retry.ts';
import { retryResent } from './retry-again.ts';
import { RETRY_PARTS } from './retry-route.ts';

export { retryDescription } from './describe.ts';

/**
 * Adds `POST /agents/{agent}/sessions/{session}/retry`. Pass it in `use` of `createHoldfast`. `aiSdkUi()`
 * includes it.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [retry()] });
 * ```
 */
export function retry(): ModuleUse {
  const use = createUse(RETRY_MODULE);
  APP.give(use, { ...RETRY_PARTS, retry: retryResent });
  return use;
}

const RETRY_MODULE = createModule({ name: 'retry' });

/** Options of a retry from code. */
export interface RetryOptions {
  /**
   * Retries with the same key within a day start one turn. Without a key, each turn has at most one retry.
   */
  readonly idempotencyKey?: string | undefined;
  /** Stores the turn and returns at once. The turn runs in a separate invocation. */
  readonly background?: boolean | undefined;
}

/**
 * Starts a turn for the last message of a session from `sessionOf` if its turn failed, was cancelled or
 * reached a limit. Returns the outcome, like `session.send`.
 *
 * @throws SessionError `nothing-to-retry` if the last message was answered, `session-busy` or
 * `turn-suspended` if a turn is open, and `unknown-session` if the session does not exist.
 */
export async function retryLast<Output>(
  session: Session<Output>,
  { idempotencyKey, background = false }: RetryOptions = {},
): Promise<SessionAnswer<Output>> {
  return runInSession(session, async (at) => {
    const view = await awaitView(at, await retryTurn(at, { idempotencyKey, inBackground: background }));
    return withArtifacts(view) as SessionAnswer<Output>; // the agent's own schema has validated the object
  });
}
