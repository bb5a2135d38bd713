/**
 * The entry `holdfast/ai-sdk`: a transport for pages with `useChat` of the AI SDK, version 6 or 7, that
 * replaces the default one.
 */
export {
  type HoldfastChatOptions,
  HoldfastChatTransport,
  isAnswered,
} from './chat-transport.ts';
