/** A door for tests. The loop, what it offers, and its limits. */
export { transcript } from '../../src/compaction/transcript.ts';
export { NUDGE } from '../../src/tool-loop/ask-model.ts';
export { withRemark } from '../../src/tool-loop/call-ending.ts';
export { messageOf } from '../../src/tool-loop/exception-processor.ts';
export { Interrupted } from '../../src/tool-loop/interrupted.ts';
export type { Loop } from '../../src/tool-loop/loop.ts';
export { memoryLoop } from '../../src/tool-loop/memory-loop.ts';
export { nextStep, type Step } from '../../src/tool-loop/next-step.ts';
export { offerTools } from '../../src/tool-loop/offer-tools.ts';
export { DEFAULT_POLICIES } from '../../src/tool-loop/policies.ts';
export { runToolLoop } from '../../src/tool-loop/run-tool-loop.ts';
export { MOST_WAITING } from '../../src/tool-loop/scheduling.ts';
export { CallLocks, Slots } from '../../src/tool-loop/slots.ts';
export { suggestNames } from '../../src/tool-loop/tool-not-found.ts';
