import { FOLDING } from '../../journal/memory-folding.ts';
import { createModule } from '../../tool/module-use.ts';
import type { SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/**
 * The place of a call among the calls of a loop, nested ones included: in all, and among those of the tool for which it counts; from 1.
 * A type alias, since it must be JSON.
 */
export type Place = {
  readonly frame: string;
  readonly tool: string;
  readonly calls: number;
  readonly ofTool: number;
};

/** Calls of a loop, nested ones included. Tools may have any name, so that names are not keys. */
type Counts = { readonly calls: number; readonly tools: readonly (readonly [tool: string, calls: number])[] };

/** The calls of a turn. */
export type Counted = {
  /** By the ids of loops; the turn's own loop counts all calls of the turn. */
  readonly loops: { readonly [frame: string]: Counts };
  /** Of each call that has not ended, by its id: one for its loop, and one for each loop around that. */
  readonly places: { readonly [call: string]: readonly Place[] };
};

const NOTHING: Counted = { loops: {}, places: {} };
const NO_CALLS: Counts = { calls: 0, tools: [] };

/**
 * Counts the calls of a turn, loop by loop, in the order of its replies. So a call has the same places whenever the turn resumes,
 * whichever calls of its batch have ended by then.
 */
export const COUNTED: ToolMemory<Counted> = {
  name: 'limits',
  folding: FOLDING,
  initial: NOTHING,
  scope: 'turn',
  isHidden: true,
  observe(counted, moment) {
    switch (moment.type) {
      case 'calls-made':
        return withCalls(counted, moment);
      case 'call-ended':
        return withoutCall(counted, moment.call);
      default:
        return counted;
    }
  },
};

/** The module of call limits. An agent's limits hold in the loops inside its own too. */
export const LIMITS = createModule({ name: 'limits', nested: true, state: [COUNTED] });

type CallsMade = Extract<SessionMoment, { readonly type: 'calls-made' }>;

function withCalls(counted: Counted, { calls, loops: around }: CallsMade): Counted {
  const loops: Record<string, Counts> = { ...counted.loops };
  const places: Record<string, readonly Place[]> = { ...counted.places };
  for (const { id, tool } of calls) {
    places[id] = around.map((frame): Place => {
      const { calls: all, tools } = loops[frame] ?? NO_CALLS;
      const ofTool = (tools.find(([name]) => name === tool)?.[1] ?? 0) + 1;
      const others = tools.filter(([name]) => name !== tool);
      loops[frame] = { calls: all + 1, tools: [...others, [tool, ofTool]] };
      return { frame, tool, calls: all + 1, ofTool };
    });
  }
  return { loops, places };
}

/** Drops the call, and the loop that it may have opened, which ends with it. */
function withoutCall({ loops, places }: Counted, call: string): Counted {
  const { [call]: _, ...openLoops } = loops;
  const { [call]: __, ...openPlaces } = places;
  return { loops: openLoops, places: openPlaces };
}
