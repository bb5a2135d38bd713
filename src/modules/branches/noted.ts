/** Records the forks of a session in the session's memory. */

import { getMemoryValue } from '../../journal/memories.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { SessionState } from '../../journal/state.ts';
import { recordFact } from '../../session/note-fact.ts';
import { createModule } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/** A fork in its source's memory. A type alias, because it is JSON. */
export type Branch = {
  readonly session: string;
  /** The last event of this session that the fork has. */
  readonly at: number;
  /**
   * The incarnation of this session. A fork copies its source's records too, and the incarnation
   * distinguishes them from records of its own forks.
   */
  readonly of: string;
  /** The surface that made the fork. Absent if the app or a caller made it. */
  readonly by?: string;
};

/** The name of the module and of its memory. */
export const MODULE_NAME = 'branches';

const MEMORY: ToolMemory<readonly Branch[], Branch> = {
  name: 'branches',
  initial: [],
  when: 'call',
  isHidden: true,
  folding: FOLDING,
  // If another invocation takes over a copy, it records the fork again.
  apply: (known, branch) =>
    known.some(({ session }) => session === branch.session) ? known : [...known, branch],
};

export const BRANCHES = /* @__PURE__ */ createModule({ name: MODULE_NAME, state: [MEMORY] });

/** Returns the forks of a folded session, in the order in which they were made. */
export const listBranches = ({
  memories,
  incarnation,
}: Pick<SessionState, 'memories' | 'incarnation'>): readonly Branch[] =>
  getMemoryValue(memories, MEMORY, '').filter(({ of }) => of === incarnation);

interface BranchNote {
  readonly branch: Branch;
  /** The id of a turn of the source. */
  readonly turn: string;
  readonly at: number;
}

/**
 * Records a fork in its source, which may be running. A source that is full or has no turn does not list the
 * fork.
 */
export async function noteBranch(
  source: Pick<SessionPort, 'post'>,
  { branch, turn, at }: BranchNote,
): Promise<void> {
  // Passes only the name, because surfaces do not need the memory's code.
  await recordFact(source, { name: MODULE_NAME }, { turn, memory: { name: MODULE_NAME }, fact: branch, at });
}
