/** Internals for tests: the memories and the offers of the kinds of tools. */

import { composeModules, type Modules } from '../../src/loop/modules.ts';
import { CHAINING_USE } from '../../src/modules/chaining/memory.ts';
import { listings } from '../../src/modules/listings/entry.ts';
import { PLAYBOOK } from '../../src/modules/playbook/unlock-condition.ts';
import { AGENT_PROCESS } from '../../src/modules/process/memory.ts';
import { STATE_MACHINES } from '../../src/modules/state-machine/memory.ts';
import { UNFOLDING } from '../../src/modules/unfolding/strategy.ts';
import type { ModuleUse } from '../../src/tool/module-use.ts';

export { createKeyedSerial, resolveMemory } from '../../src/modules/agentic/memory.ts';
export {
  BINDING_MEMORY,
  type Bindings,
  type ChainingFact,
  createForgetFact,
  listBindingsAt,
} from '../../src/modules/chaining/memory.ts';
export { toMarkedName, toObjectToolName } from '../../src/modules/chaining/object-names.ts';
export { formatDuration } from '../../src/modules/process/agent-process-tools.ts';
export { PROCESS_MEMORY } from '../../src/modules/process/memory.ts';
export { unfoldingStrategy } from '../../src/modules/unfolding/strategy.ts';

export { composeModules };

/** Composes all modules of the library's kinds with additional ones. */
export const createToolKinds = (kinds: readonly ModuleUse[] = []): Modules =>
  composeModules([...[CHAINING_USE, UNFOLDING, STATE_MACHINES, PLAYBOOK, AGENT_PROCESS, listings], ...kinds]);

/** All modules of the library's kinds. */
export const BUILT_IN_KINDS = createToolKinds();
