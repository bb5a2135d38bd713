import type { AnyTool } from '../../src/index.ts';
import type { SessionState } from '../../src/testing/entry.ts';
import { BUILT_IN_KINDS } from '../doors/kinds.ts';
import { createMemoryLoop, type Loop, offerTools, runToolLoop } from '../doors/loop.ts';
import { createPilot, type Destination } from './pilot.ts';

/** The times to compute the offered tools, in ms. Medians over the model calls of one turn. */
export interface OfferTimes {
  /** The time in a new invocation. */
  readonly first: number;
  /** The time if the same tools were offered before. */
  readonly again: number;
}

const TURNS = 20;

/** Measures the time before each model call, in turns that navigate to one leaf. */
export async function measureOfferTimes(
  tools: readonly AnyTool[],
  destination: Destination,
): Promise<OfferTimes> {
  const first: number[] = [];
  const again: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const model = createPilot(() => {
      const cold = createColdLoop(loop);
      first.push(measureMs(() => offerTools(cold, 'now')));
      again.push(measureMs(() => offerTools(loop, 'now')));
    });
    const { loop } = createMemoryLoop({
      tools,
      model,
      everywhere: BUILT_IN_KINDS.strategies,
      memories: BUILT_IN_KINDS.memories,
    });
    model.flyTo(destination);
    await runToolLoop(loop);
  }
  return { first: computeMedian(first), again: computeMedian(again) };
}

/** Copies a loop as another invocation would build it: equal, but without shared objects. */
function createColdLoop({ journal, spec, ...loop }: Loop): Loop {
  const state: SessionState = { ...journal.state, memories: structuredClone(journal.state.memories) };
  return {
    ...loop,
    spec: { ...spec, tools: [...spec.tools] },
    madeTools: new Map(),
    journal: { ...journal, state },
  };
}

function measureMs(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const computeMedian = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
