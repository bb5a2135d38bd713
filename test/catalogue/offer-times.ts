import type { AnyTool } from '../../src/index.ts';
import type { SessionState } from '../../src/testing/entry.ts';
import { BUILT_IN_KINDS } from '../doors/kinds.ts';
import { type Loop, memoryLoop, offerTools, runToolLoop } from '../doors/loop.ts';
import { type Destination, pilot } from './pilot.ts';

/** Milliseconds to decide what a model is offered, medians over the model calls of one turn. */
export interface OfferTimes {
  /** In an invocation that has just begun. */
  readonly first: number;
  /** When the same was offered before. */
  readonly again: number;
}

const TURNS = 20;

/** Takes the time before each model call of turns that fly to one leaf. */
export async function offerTimes(tools: readonly AnyTool[], destination: Destination): Promise<OfferTimes> {
  const first: number[] = [];
  const again: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const model = pilot(() => {
      const cold = coldLoop(loop);
      first.push(timed(() => offerTools(cold, 'now')));
      again.push(timed(() => offerTools(loop, 'now')));
    });
    const { loop } = memoryLoop({
      tools,
      model,
      everywhere: BUILT_IN_KINDS.strategies,
      memories: BUILT_IN_KINDS.memories,
    });
    model.flyTo(destination);
    await runToolLoop(loop);
  }
  return { first: median(first), again: median(again) };
}

/** The loop as another invocation has it: equal, and nothing in it the same. */
function coldLoop({ journal, spec, ...loop }: Loop): Loop {
  const state: SessionState = { ...journal.state, memories: structuredClone(journal.state.memories) };
  return {
    ...loop,
    spec: { ...spec, tools: [...spec.tools] },
    made: new Map(),
    journal: { ...journal, state },
  };
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const median = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
