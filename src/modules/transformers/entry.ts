/** The entry `holdfast/transformers`: what models are shown of a conversation is changed, while the journal keeps what was said. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { defineTransformer, type LoopTransformer, type TransformScope } from './define-transformer.ts';
export { slidingWindow } from './sliding-window.ts';
export {
  charsShown,
  fullLength,
  type TruncationMarker,
  type TruncationOptions,
  truncateToolResults,
} from './truncate-tool-results.ts';
