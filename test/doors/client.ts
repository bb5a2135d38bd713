export { ShownSteps } from '../../src/client/ai-sdk/joined-replay.ts';
export { EventParser } from '../../src/client/event-parser.ts';
export { LiveList } from '../../src/client/react/lists/live-list.ts';
export { type Conversation, foldItem, toMessages } from '../../src/client/react/messages.ts';
