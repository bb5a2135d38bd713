import type { Agent } from '../../../../src/index.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { createModule, createUse, LOOPS } from '../../../doors/loop.ts';

/**
 * An agent, and the state that the last invocation of its turn folded while it ran, without data that was
 * read again later.
 */
export interface LiveAgent {
  readonly agent: Agent;
  /** @throws Error when no turn has run. */
  live(): SessionState;
}

/** The agent as it is; a module of its own is given the loop first, and with it the state that it grows. */
export function watchedLive(agent: Agent): LiveAgent {
  let state: SessionState | undefined;
  const watching = createUse(createModule({ name: 'watching' }));
  LOOPS.give(watching, {
    async prepare({ journal }) {
      state = journal.state;
    },
  });
  return {
    agent: { ...agent, uses: [watching, ...agent.uses] },
    live() {
      if (!state) throw new Error('No turn has run yet.');
      return state;
    },
  };
}
