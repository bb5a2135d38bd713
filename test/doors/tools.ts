/** A door for tests. What a tool is made of: results, inputs, calls, signals, resolution. What users import of it is in the entries. */

export { requiredTools } from '../../src/sources/resolution/required-tools.ts';
export { changedTools, collectTools } from '../../src/sources/resolution/resolve-tools.ts';
export { checkInput, jsonSchemaCheck, parseToolInput } from '../../src/tool/check-input.ts';
export { coerceInput } from '../../src/tool/coerce-input.ts';
export { mapRoute } from '../../src/tool/decorate.ts';
export { DEFAULT_TIMEOUT, MAX_TIMEOUT } from '../../src/tool/define-tool.ts';
export { foundBy, partsOf } from '../../src/tool/injection.ts';
export { applyChange } from '../../src/tool/injection-strategy/define-injection-strategy.ts';
export { InputSchemaError, toInputSchema } from '../../src/tool/input-schema.ts';
export { copyJson, isJsonObject, sameJson } from '../../src/tool/json.ts';
export { problemLines } from '../../src/tool/problem-lines.ts';
export { readAs } from '../../src/tool/read-artifact.ts';
export { CallInterrupted, signalled } from '../../src/tool/signals.ts';
export { factOf } from '../../src/tool/tool-memory.ts';
export {
  failure,
  isToolResult,
  modelText,
  toolResult,
  toToolResult,
  withheld,
} from '../../src/tool/tool-result.ts';
export { UNFOLDED, type Unfolded, type UnfoldedList } from '../../src/tool/unfolding/unfolding.ts';
export { attempt, lastList, memoized } from '../../src/tool/until-aborted.ts';
