import { inFrame } from '../journal/events.ts';
import type { FrameState } from '../journal/state.ts';
import type { Discovery } from '../tools/discovery.ts';
import type { LoopView } from '../tools/injection.ts';
import type { SliceFact } from '../tools/slice.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';
import { loopView } from './loop-view.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Asks the strategies that offer tools from outside to find them, before the model is asked. What they found is journaled, so
 * that `offer` stays a function of the state. A source that fails brings no tools now; the loop goes on without them.
 *
 * @throws Interrupted when this invocation is to start nothing more.
 */
export async function discoverTools(loop: Loop, frame: FrameState): Promise<void> {
  const asked = loop.strategies.flatMap(({ name, discover }) => (discover ? { name, discover } : []));
  if (asked.length === 0) return;
  const discovery = discoveryOf(loop, loopView(loop, frame, 'now'));
  const finding = asked.map(async ({ name, discover }): Promise<readonly SliceFact[]> => {
    try {
      return await discover(discovery);
    } catch (thrown) {
      if (thrown instanceof Interrupted) throw thrown;
      console.error(`holdfast: the strategy '${name}' could not find its tools`, thrown);
      return [];
    }
  });
  const facts = (await untilAborted(loop.invocation.signal, Promise.all(finding))).flat();
  if (facts.length === 0) return;
  loop.journal.emit({ type: 'tools-listed', turn: loop.turn, ...inFrame(loop.frame), facts });
}

/** What code of this loop may use to find out something outside. */
export const discoveryOf = (loop: Loop, view: LoopView): Discovery => ({
  view,
  secrets: loop.secrets,
  signal: loop.invocation.signal,
  now: () => loop.invocation.now(),
  ask: (needs, work) =>
    loop.slots.hold(async () => {
      loop.invocation.claim(needs);
      return work();
    }),
  atEnd: (work) => loop.invocation.atEnd(work),
});
