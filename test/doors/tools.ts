/**
 * A door for tests. The parts of a tool: results, inputs, calls, signals, resolution. The entries export the
 * public ones.
 */

export { editLines } from '../../src/modules/answers/check-answer.ts';
export { jsonSchemaCheck } from '../../src/modules/json-schema/check.ts';
export { applyChange } from '../../src/modules/strategies/define-injection-strategy.ts';
export { UNFOLDED, type Unfolded, type UnfoldedList } from '../../src/modules/unfolding/unfolding.ts';
export { changedTools, collectTools } from '../../src/sources/resolution/resolve-tools.ts';
export { requiredTools } from '../../src/sources/resolution/tool-provider.ts';
export { foundBy, partsOf } from '../../src/sources/resolution/tool-source.ts';
export { attempt, memoized, Stop } from '../../src/tool/async.ts';
export { CALLS, type CallOrigin, callOrigins } from '../../src/tool/call-origin.ts';
export { checkInput, coerceInput, parseToolInput } from '../../src/tool/check-input.ts';
export { consoleLog, toLog } from '../../src/tool/console-log.ts';
export {
  fileLine,
  fromBase64,
  isText,
  placed,
  toBase64,
  toFileName,
  toMediaType,
} from '../../src/tool/content.ts';
export { copyJson } from '../../src/tool/copy-json.ts';
export { lastList, mapRoute } from '../../src/tool/decorate.ts';
export { DEFAULT_TIMEOUT, MAX_TIMEOUT } from '../../src/tool/define-tool.ts';
export { readAs } from '../../src/tool/domain-type.ts';
export { credentialIn, envOfTools } from '../../src/tool/env.ts';
export { InputSchemaError, toInputSchema } from '../../src/tool/input-schema.ts';
export { isJsonObject, sameJson } from '../../src/tool/json.ts';
export { callBlackboard, callState } from '../../src/tool/kept-values.ts';
export { INNER_SHAPES, SHAPES } from '../../src/tool/kernel-literals.ts';
export type { ModuleUse } from '../../src/tool/module-use.ts';
export { problemLines } from '../../src/tool/problem-lines.ts';
export { isPrivateHost, publicAddress } from '../../src/tool/public-address.ts';
export { asQuoted, drawMark, fenced, fromVisible, visible } from '../../src/tool/shown.ts';
export { CallInterrupted, signalled } from '../../src/tool/signals.ts';
export { toToolResult } from '../../src/tool/to-tool-result.ts';
export { factOf } from '../../src/tool/tool-memory.ts';
export {
  failure,
  isToolResult,
  modelText,
  partsOfResult,
  toolResult,
  withheld,
  withWords,
} from '../../src/tool/tool-result.ts';
export { usesOf } from '../../src/tool/uses.ts';
