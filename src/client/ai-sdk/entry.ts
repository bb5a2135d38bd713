/**
 * The entry `holdfast/ai-sdk`: a transport that replaces the default one of `useChat` from the AI SDK, version
 * 6 or 7.
 */
export {
  type HoldfastChatOptions,
  HoldfastChatTransport,
  isAnswered,
} from './chat-transport.ts';
