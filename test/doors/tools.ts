/**
 * Internals for tests: the parts of tools that the entries do not export, such as results, inputs, calls,
 * signals and resolution.
 */

export { listSchemaProblems } from '../../src/modules/answers/check-answer.ts';
export { createJsonSchemaCheck } from '../../src/modules/json-schema/check.ts';
export { applyChange } from '../../src/modules/strategies/define-injection-strategy.ts';
export {
  UNFOLDED_MEMORY,
  type UnfoldedEntry,
  type UnfoldedList,
} from '../../src/modules/unfolding/unfolding.ts';
export {
  collectTools,
  mapProviderTools,
} from '../../src/sources/resolution/resolve-tools.ts';
export { createRequiredToolProvider } from '../../src/sources/resolution/tool-provider.ts';
export { getDiscoverySteps, runDiscovery } from '../../src/sources/resolution/tool-source.ts';
export { attempt, memoize, StopController } from '../../src/tool/async.ts';
export {
  CALL_ORIGINS,
  type CallOrigin,
  createCallOrigins,
} from '../../src/tool/call-origin.ts';
export { checkInput, coerceInput, parseToolInput } from '../../src/tool/check-input.ts';
export { createConsoleLog, toLog } from '../../src/tool/console-log.ts';
export {
  formatFileLine,
  fromBase64,
  isTextType,
  toBase64,
  toFileName,
  toMediaType,
  toPartsWithFiles,
} from '../../src/tool/content.ts';
export { copyJson } from '../../src/tool/copy-json.ts';
export { createListCache, mapRoute } from '../../src/tool/decorate.ts';
export {
  DEFAULT_TIMEOUT_MS,
  MAX_TIMEOUT_MS,
} from '../../src/tool/define-tool.ts';
export { readAsType } from '../../src/tool/domain-type.ts';
export { envOfTools, findCredentialPath } from '../../src/tool/env.ts';
export { InputSchemaError, toInputSchema } from '../../src/tool/input-schema.ts';
export { isEqualJson, isJsonObject } from '../../src/tool/json.ts';
export {
  createCallBlackboard,
  createCallState,
} from '../../src/tool/kept-values.ts';
export { INNER_SHAPES, LITERAL_SHAPES } from '../../src/tool/kernel-literals.ts';
export type { ModuleUse } from '../../src/tool/module-use.ts';
export { formatProblems } from '../../src/tool/problem-lines.ts';
export { isPrivateHost, parsePublicAddress } from '../../src/tool/public-address.ts';
export {
  createFenceMark,
  escapeInvisible,
  fenceUntrusted,
  quoteFences,
  unescapeInvisible,
} from '../../src/tool/shown.ts';
export { CallInterrupted, toSignalResult } from '../../src/tool/signals.ts';
export { toToolResult } from '../../src/tool/to-tool-result.ts';
export { createFact } from '../../src/tool/tool-memory.ts';
export {
  createFailureResult,
  createToolResult,
  createWithheldResult,
  getModelText,
  isToolResult,
  listResultParts,
  withText,
} from '../../src/tool/tool-result.ts';
export { collectUses } from '../../src/tool/uses.ts';
