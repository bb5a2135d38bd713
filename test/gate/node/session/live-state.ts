import type { Agent } from '../../../../src/index.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { createModule, createUse, LOOPS } from '../../../doors/loop.ts';

/** An agent, and the state that its turn's last invocation folded as it ran, without reading data again. */
export interface LiveAgent {
  readonly agent: Agent;
  /** @throws Error if no turn has run. */
  live(): SessionState;
}

/**
 * Returns the agent with one more module. The module receives the loop first, and keeps the state that the
 * loop folds.
 */
export function withLiveState(agent: Agent): LiveAgent {
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
