import { inFrame } from '../journal/events.ts';
import type { FrameState } from '../journal/state.ts';
import type { Discover, Discovery } from '../tools/discovery.ts';
import type { LoopView } from '../tools/injection.ts';
import type { SliceFact } from '../tools/slice.ts';
import { throughJson } from './call-view.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';
import { loopView } from './loop-view.ts';
import { untilAborted } from './until-aborted.ts';

/** How long one source may take that names no time of its own, in ms. */
const LONGEST = 120_000;

/** Invocations that got no reply in a row, after which the model is asked with what is known: finding may be what ends them. */
const MAX_TRIES = 2;

/**
 * Asks the strategies that offer tools from outside to find them, before the model is asked. What they found is journaled, so
 * that `offer` stays a function of the state. A source that fails brings no tools now; the loop goes on without them. What
 * others found is kept, also when one of them leaves the turn to another invocation, so that each gets further.
 *
 * @throws Interrupted when this invocation is to start nothing more.
 */
export async function discoverTools(loop: Loop, frame: FrameState): Promise<void> {
  const sources = loop.strategies.flatMap(({ name, discover = [] }) =>
    [discover].flat().map((find): Source => ({ name, find })),
  );
  if (sources.length === 0 || isGivenUp(loop)) return;
  const { signal, modelSignal } = loop.invocation;
  const discovery = discoveryOf(loop, loopView(loop, frame, 'now'), modelSignal);
  const finding = await Promise.allSettled(sources.map((source) => findWith(loop, discovery, source)));
  const found = finding.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const facts = loop.secrets.redact(found);
  if (facts.length > 0 && !signal.aborted)
    loop.journal.emit({ type: 'tools-listed', turn: loop.turn, ...inFrame(loop.frame), facts });
  for (const one of finding) if (one.status === 'rejected') throw one.reason;
}

interface Source {
  /** The strategy's. */
  readonly name: string;
  readonly find: Discover;
}

/** @throws Interrupted when the turn is left to another invocation. */
async function findWith(
  loop: Loop,
  discovery: Discovery,
  { name, find }: Source,
): Promise<readonly SliceFact[]> {
  const { modelSignal } = loop.invocation;
  try {
    const facts = await inTime(loop, modelSignal, LONGEST, find(discovery));
    return facts.map(({ slice, fact }) => ({ slice, fact: throughJson(`a fact of '${slice}'`, fact) }));
  } catch (thrown) {
    if (modelSignal.aborted) throw modelSignal.reason;
    if (thrown instanceof Interrupted) throw thrown;
    console.error(`holdfast: the strategy '${name}' could not find its tools`, thrown);
    return [];
  }
}

function isGivenUp({ journal }: Loop): boolean {
  const { resumedSinceReply: tries = 0 } = journal.state.turn ?? {};
  if (tries < MAX_TRIES) return false;
  console.warn(`holdfast: no tools are looked for outside: ${tries} invocations got no reply from the model`);
  return true;
}

/** What code of this loop may use to find out something outside, until `signal` aborts. */
export const discoveryOf = (loop: Loop, view: LoopView, signal: AbortSignal): Discovery => ({
  view,
  secrets: loop.secrets,
  signal,
  now: () => loop.invocation.now(),
  ask: (needs, work) =>
    loop.slots.hold(async () => {
      loop.invocation.claim(needs);
      return inTime(loop, signal, needs.ms, work());
    }),
  atEnd: (work) => loop.invocation.atEnd(work),
});

/** The promise's value. @throws the signal's reason when that aborts, and a `TimeoutError` when it takes longer, in ms. */
function inTime<T>({ invocation }: Loop, signal: AbortSignal, ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const isOver = (): void => late.reject(new DOMException(`${ms} ms are over.`, 'TimeoutError'));
  const cancel = invocation.after(ms, isOver);
  return untilAborted(signal, Promise.race([work, late.promise])).finally(cancel);
}
