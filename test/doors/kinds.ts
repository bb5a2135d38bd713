/** A door for tests. What kinds of tools remember and offer, beside what defines them. */
export { keyedLane, memoryOf } from '../../src/kinds/agentic/keyed-lane.ts';
export {
  BINDINGS,
  type Bindings,
  boundIn,
  type ChainingFact,
  forgetBindings,
} from '../../src/kinds/chaining/bindings.ts';
export { markedName, objectToolName } from '../../src/kinds/chaining/object-tools.ts';
export { duration } from '../../src/kinds/process/agent-process-tools.ts';
export { PROCESS } from '../../src/kinds/process/process-memory.ts';
export { UNFOLDING } from '../../src/kinds/unfolding/memory.ts';
export { unfoldingStrategy } from '../../src/kinds/unfolding/unfolding-strategy.ts';
