export { ShownSteps } from '../../src/client/ai-sdk/joined-replay.ts';
export { EventParser } from '../../src/client/event-parser.ts';
export { type Conversation, foldItem, toMessages } from '../../src/client/react/messages.ts';
