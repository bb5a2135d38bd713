import type { Agent } from '../../../../src/index.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';

/** An agent, and what the last invocation that ran a turn of it has folded as it went: nothing that was read again since. */
export interface LiveAgent {
  readonly agent: Agent;
  /** @throws Error when no turn has run. */
  live(): SessionState;
}

/** The agent as it is; what may compact its conversation is given the loop first, and with it the state that it grows. */
export function watchedLive(agent: Agent): LiveAgent {
  let state: SessionState | undefined;
  return {
    agent: {
      ...agent,
      compaction: {
        async compact(asked) {
          state = asked.loop.journal.state;
          await agent.compaction?.compact(asked);
        },
      },
    },
    live() {
      if (!state) throw new Error('No turn has run yet.');
      return state;
    },
  };
}
