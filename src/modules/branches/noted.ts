/** The forks of a session, as the session remembers them. */

import { valueIn } from '../../journal/memories.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { SessionState } from '../../journal/state.ts';
import { noteFact } from '../../session/note-fact.ts';
import { createModule } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/** A fork, as its source remembers it. A type alias: it is JSON. */
export type Branch = {
  /** The id of the fork. */
  readonly session: string;
  /** The last event that it has of this session. */
  readonly at: number;
  /** The incarnation of this session: a fork has the events of its source, and is not the source of these forks. */
  readonly of: string;
  /** The surface that made it; absent if none did. */
  readonly by?: string;
};

/** Of the module, and of its memory. */
export const NAME = 'branches';

const MEMORY: ToolMemory<readonly Branch[], Branch> = {
  name: 'branches',
  initial: [],
  when: 'call',
  isHidden: true,
  folding: FOLDING,
  // A copy that was taken over is noted again.
  apply: (known, branch) =>
    known.some(({ session }) => session === branch.session) ? known : [...known, branch],
};

export const BRANCHES = /* @__PURE__ */ createModule({ name: NAME, state: [MEMORY] });

/** Returns the forks of a session that is folded, in the order in which they were made. */
export const branchesIn = ({
  memories,
  incarnation,
}: Pick<SessionState, 'memories' | 'incarnation'>): readonly Branch[] =>
  valueIn(memories, MEMORY, '').filter(({ of }) => of === incarnation);

interface Noted {
  readonly branch: Branch;
  /** A turn of the source. */
  readonly turn: string;
  readonly at: number;
}

/** Notes a fork in its source, which may be running. A source that is full, or has no turn, does not list it. */
export async function noteBranch(
  source: Pick<SessionPort, 'post'>,
  { branch, turn, at }: Noted,
): Promise<void> {
  // Without the code of the memory, which surfaces do not need.
  await noteFact(source, { name: NAME }, { turn, memory: { name: NAME }, fact: branch, at });
}
