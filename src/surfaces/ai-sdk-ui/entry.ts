/**
 * The entry `holdfast/surfaces/ai-sdk-ui`: an unmodified `useChat` of the AI SDK talks to a Worker's agents.
 */

export { type AiSdkUiConfig, aiSdkUi } from './ai-sdk-ui.ts';
export type { KnownCall } from './call-chunks.ts';
export type {
  MessageData,
  ProgressData,
  UiChunk,
  UiChunkOf7,
  UiMetadata,
  UiUserPart,
  UiVersion,
} from './chunks.ts';
export { aiSdkUiDescription } from './describe.ts';
export { type ChunkOptions, uiChunks } from './turn-chunks.ts';
export type { UiMessage, UiPart } from './ui-messages.ts';
