/** A door for tests. What kinds of tools remember and offer, beside what defines them. */
export { memoryOf } from '../../src/agentic/keyed-config.ts';
export { keyedLane } from '../../src/agentic/keyed-lane.ts';
export {
  BINDINGS,
  type Bindings,
  boundIn,
  type ChainingFact,
  forgetBindings,
} from '../../src/chaining/bindings.ts';
export { markedName, objectToolName } from '../../src/chaining/object-tool-name.ts';
export { duration } from '../../src/process/amounts.ts';
export { PROCESS } from '../../src/process/process-memory.ts';
export { UNFOLDING } from '../../src/unfolding/unfolding-slice.ts';
export { unfoldingStrategy } from '../../src/unfolding/unfolding-strategy.ts';
