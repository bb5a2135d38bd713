import { createTimeoutError, withTimeout } from '../tool/async.ts';
import type { CallRun, Discovery, LoopView } from '../tool/tool.ts';
import type { Loop } from './loop.ts';
import { RunningCall } from './running-call.ts';

/** Returns an object through which this loop's code discovers tools from outside, until `signal` aborts. */
export const createDiscovery = (loop: Loop, view: LoopView, signal: AbortSignal): Discovery => ({
  view,
  secrets: loop.secrets,
  signal,
  now: () => loop.holder.now(),
  ask: (needs, work) =>
    loop.slots.hold(async () => {
      loop.holder.claim(needs);
      return withTimeout(loop.holder, work(), { signal, ms: needs.ms, late: createTimeoutError });
    }),
  atEnd: (work) => loop.holder.atEnd(work),
  count: (subrequests) => loop.holder.count(subrequests),
  credentials: loop.holder.credentials,
});

/**
 * Returns an object through which a call discovers tools.
 *
 * @throws TypeError if the call does not come from a loop of this copy of holdfast.
 */
export function discoveryIn(call: CallRun): Discovery {
  const { loop, time } = RunningCall.of(call);
  const discovery = createDiscovery(loop, call.view, loop.holder.signal);
  return { ...discovery, ask: (needs, work) => time.outside(() => discovery.ask(needs, work)) };
}
