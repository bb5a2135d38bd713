/** The entry `holdfast/ai-sdk`: what a page made with `useChat` of the AI SDK, version 6 or 7, uses in place of the kit's own transport. */
export {
  type HoldfastChatOptions,
  HoldfastChatTransport,
  isAnswered,
} from './chat-transport.ts';
