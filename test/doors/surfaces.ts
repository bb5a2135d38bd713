/** Internals for tests: the parts of surfaces. */
export { toUiMessages } from '../../src/surfaces/ai-sdk-ui/ui-messages.ts';
export { type ChatChunk, streamChatItems } from '../../src/surfaces/openai/chat-chunks.ts';
export type { Conversation, ListedItem } from '../../src/surfaces/openai/lists/list-types.ts';
export type { ResponseEvent } from '../../src/surfaces/openai/numbered-output.ts';
export { readMessageFile } from '../../src/surfaces/openai/read-body.ts';
export {
  type ResponseTarget,
  toResponseEvents,
} from '../../src/surfaces/openai/response-events.ts';
export type { ResponseObject } from '../../src/surfaces/openai/response-types.ts';
