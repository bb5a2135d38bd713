import type { FrameState } from '../journal/state.ts';
import type { LoopView } from '../tools/injection.ts';
import type { TurnPrincipal } from '../tools/turn-principal.ts';
import { toHistory } from './history.ts';
import type { Loop } from './loop.ts';

/** Which moment is looked at: this one, or the one at which the model made its last reply. */
export type Moment = 'now' | 'last-reply';

/**
 * A loop as its strategies see it. While calls run, it is looked at as of the reply that asked for them, so that a batch
 * which another invocation finishes is offered the same tools, whatever has ended in the meantime. `recall`: what a call knows beside that.
 */
export function loopView(
  loop: Loop,
  frame: FrameState,
  moment: Moment,
  recall?: LoopView['recall'],
): LoopView {
  const { state } = loop.journal;
  const isNow = moment === 'now';
  const slices = isNow ? state.slices : frame.seen.slices;
  return {
    turn: loop.turn,
    principal: state.turn?.principal ?? NOBODY,
    frame: frame.id,
    path: frame.path,
    iterations: frame.iterations,
    tools: loop.tools,
    context: loop.context,
    get blackboard() {
      return frame.blackboard.slice(0, isNow ? undefined : frame.seen.entries);
    },
    recall: recall ?? ((memory, path = frame.path) => loop.memories.valueIn(slices, memory, path)),
    made: (key, make) => {
      const known = loop.made.get(key);
      if (known) return known;
      const made = make();
      loop.made.set(key, made);
      return made;
    },
    history: () => toHistory(isNow ? frame.messages : frame.messages.slice(0, -1)),
  };
}

/** A loop outside of a session is nobody's. */
const NOBODY: TurnPrincipal = { id: '' };
