/** A door for tests. What kinds of tools remember and offer, beside what defines them. */
export { toolKinds } from '../../src/built-in-kinds.ts';
export { keyedSerial, memoryOf } from '../../src/kinds/agentic/memory.ts';
export {
  BINDINGS,
  type Bindings,
  boundIn,
  type ChainingFact,
  forgetBindings,
} from '../../src/kinds/chaining/memory.ts';
export { markedName, objectToolName } from '../../src/kinds/chaining/object-names.ts';
export { duration } from '../../src/kinds/process/agent-process-tools.ts';
export { PROCESS } from '../../src/kinds/process/memory.ts';
export { UNFOLDING, unfoldingStrategy } from '../../src/kinds/unfolding/strategy.ts';
