/** A door for tests. What kinds of tools remember and offer, beside what defines them. */
import { CHAINING } from '../../src/kinds/chaining/memory.ts';
import { PLAYBOOK } from '../../src/kinds/playbook/memory.ts';
import { AGENT_PROCESS } from '../../src/kinds/process/memory.ts';
import { STATE_MACHINES } from '../../src/kinds/state-machine/memory.ts';
import { composeModules, type Modules } from '../../src/loop/modules.ts';
import { LISTED_TOOLS } from '../../src/modules/listings/listings.ts';
import type { ModuleUse } from '../../src/tool/module-use.ts';
import { UNFOLDING } from '../../src/tool/unfolding/strategy.ts';

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
export { unfoldingStrategy } from '../../src/tool/unfolding/strategy.ts';

export { composeModules };

/** All modules of the library's kinds, and these. */
export const toolKinds = (kinds: readonly ModuleUse[] = []): Modules =>
  composeModules([...[CHAINING, UNFOLDING, STATE_MACHINES, PLAYBOOK, AGENT_PROCESS, LISTED_TOOLS], ...kinds]);

/** All modules of the library's kinds. */
export const BUILT_IN_KINDS = toolKinds();
