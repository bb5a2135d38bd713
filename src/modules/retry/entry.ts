/** The entry `holdfast/retry`: the last message of a session is tried again, if its turn has no answer. */

import { withArtifacts } from '../../tool/kept-values.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { viewOf } from '../../worker/begun-turn.ts';
import type { Session, SessionAnswer } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { retryTurn } from './retry.ts';
import { retryAgain } from './retry-again.ts';
import { RETRY } from './retry-route.ts';

export { retryDescription } from './describe.ts';

/**
 * Adds `POST /agents/{agent}/sessions/{session}/retry`, in `use` of `createHoldfast`. `aiSdkUi()` brings it along.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [retry()] });
 * ```
 */
export function retry(): ModuleUse {
  const use = useOf(MODULE);
  APP.give(use, { ...RETRY, retry: retryAgain });
  return use;
}

const MODULE = createModule({ name: 'retry' });

/** What may be said beside a retry from code. */
export interface RetryOptions {
  /** However often the retry is sent under it within a day, it starts one turn. Without it, of one turn there is one retry. */
  readonly idempotencyKey?: string | undefined;
  /** Stores the turn and answers at once: it runs in an invocation of its own. */
  readonly background?: boolean | undefined;
}

/**
 * Begins a turn for the last message of a session that `sessionOf` returned, if its turn failed, was cancelled or reached a limit. Returns
 * what it came to, as `session.send` does.
 *
 * @throws SessionError `nothing-to-retry` if the last message was answered, `session-busy` or `turn-suspended` if a turn is open, and
 *   `unknown-session` if there is no session.
 */
export async function retryLast<Output>(
  session: Session<Output>,
  { idempotencyKey, background = false }: RetryOptions = {},
): Promise<SessionAnswer<Output>> {
  return inSession(session, async (at) => {
    const view = await viewOf(at, await retryTurn(at, { idempotencyKey, inBackground: background }));
    return withArtifacts(view) as SessionAnswer<Output>; // its object has passed the agent's own schema
  });
}
