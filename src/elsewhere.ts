/**
 * Names that readers expect in `holdfast`, but that another entry exports. The compile error shows that
 * entry. A call throws an error that shows it, since some bundlers only strip types.
 */

/** @deprecated `import { createHoldfast } from 'holdfast/worker'`. Throws. */
export function createHoldfast<_Env = unknown>(_: "import { createHoldfast } from 'holdfast/worker'"): never {
  throw createMovedError('createHoldfast', 'worker');
}

/** @deprecated `import { createTestSession } from 'holdfast/testing'`. Throws. */
export function createTestSession(_: "import { createTestSession } from 'holdfast/testing'"): never {
  throw createMovedError('createTestSession', 'testing');
}

/** @deprecated `import { defineAgenticTool } from 'holdfast/kinds'`. Throws. */
export function defineAgenticTool(_: "import { defineAgenticTool } from 'holdfast/kinds'"): never {
  throw createMovedError('defineAgenticTool', 'kinds');
}

/** @deprecated `import { definePipeline } from 'holdfast/kinds'`. Throws. */
export function definePipeline(_: "import { definePipeline } from 'holdfast/kinds'"): never {
  throw createMovedError('definePipeline', 'kinds');
}

/** @deprecated `import { definePlaybook } from 'holdfast/kinds'`. Throws. */
export function definePlaybook(_: "import { definePlaybook } from 'holdfast/kinds'"): never {
  throw createMovedError('definePlaybook', 'kinds');
}

/** @deprecated `import { defineStateMachine } from 'holdfast/kinds'`. Throws. */
export function defineStateMachine(_: "import { defineStateMachine } from 'holdfast/kinds'"): never {
  throw createMovedError('defineStateMachine', 'kinds');
}

/** @deprecated `import { defineSubagent } from 'holdfast/kinds'`. Throws. */
export function defineSubagent(_: "import { defineSubagent } from 'holdfast/kinds'"): never {
  throw createMovedError('defineSubagent', 'kinds');
}

/** @deprecated `import { defineUnfolding } from 'holdfast/kinds'`. Throws. */
export function defineUnfolding(_: "import { defineUnfolding } from 'holdfast/kinds'"): never {
  throw createMovedError('defineUnfolding', 'kinds');
}

/** @deprecated `import { requireApproval } from 'holdfast/decorators'`. Throws. */
export function requireApproval(_: "import { requireApproval } from 'holdfast/decorators'"): never {
  throw createMovedError('requireApproval', 'decorators');
}

const createMovedError = (name: string, entry: string): TypeError =>
  new TypeError(`'holdfast' has no ${name}. Write import { ${name} } from 'holdfast/${entry}'.`);
