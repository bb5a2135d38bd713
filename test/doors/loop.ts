/** Internals for tests: the loop, its offers and its limits. */

export { OverheadTimer } from '../../src/loop/around-time.ts';
export { askLayer } from '../../src/loop/ask-layers.ts';
export { type AskLayer, ModelRefusalError } from '../../src/loop/ask-reply.ts';
export { CallView } from '../../src/loop/batch.ts';
export { withRemark } from '../../src/loop/call-ending.ts';
export { CallStarts } from '../../src/loop/call-starts.ts';
export { getThrownMessage } from '../../src/loop/exception-processor.ts';
export { InterruptionError, Slots } from '../../src/loop/holder.ts';
export type { Loop } from '../../src/loop/loop.ts';
export { type FileKeeper, findFileKeeper } from '../../src/loop/loop-files.ts';
export { LOOPS } from '../../src/loop/loop-seams.ts';
export { createMemoryLoop } from '../../src/loop/memory-loop.ts';
export { askInTime } from '../../src/loop/model-time.ts';
export { hasOpenFrame } from '../../src/loop/nest.ts';
export { decideNextStep, type Step } from '../../src/loop/next-step.ts';
export { offerTools } from '../../src/loop/offer-tools.ts';
export { DEFAULT_POLICIES } from '../../src/loop/policies.ts';
export { runForOutput, runToolLoop } from '../../src/loop/run-loop.ts';
export { RunningCall } from '../../src/loop/running-call.ts';
export { NUDGE } from '../../src/loop/shown-history.ts';
export { suggestNames } from '../../src/loop/tool-not-found.ts';
export { formatTranscript } from '../../src/modules/compaction/write-summary.ts';
export { estimateSize } from '../../src/modules/limits/reserve.ts';
export { SPENDING_MEMORY } from '../../src/modules/limits/spending.ts';
export { CallLocks } from '../../src/modules/state-machine/strategy.ts';
export { createModule, createUse } from '../../src/tool/module-use.ts';
