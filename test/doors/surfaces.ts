/** A door for tests. Translators of other protocols. */
export type { ChatChunk } from '../../src/surfaces/openai/chat-chunks.ts';
export { type ResponseWanted, responseEvents } from '../../src/surfaces/openai/response-events.ts';
export type { ResponseEvent, ResponseObject } from '../../src/surfaces/openai/response-types.ts';
