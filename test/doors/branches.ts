/** Internals for tests: copying a fork without a Worker. */

export { composeModules } from '../../src/loop/modules.ts';
export { copyOn } from '../../src/modules/branches/copy-events.ts';
export { BRANCHES, listBranches } from '../../src/modules/branches/noted.ts';
export { createUse } from '../../src/tool/module-use.ts';
