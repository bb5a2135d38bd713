/** A Worker whose chats are in an index, for pages of one other origin. */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { desk } from '../../../src/examples/pages/desk.ts';
import type { ChatModel } from '../../../src/index.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { sessionIndex } from '../../../src/modules/index/entry.ts';
import { aiSdkUi } from '../../../src/surfaces/ai-sdk-ui/entry.ts';

/** Of the pages that may ask; in its place stands what the build says. */
declare const PAGES: string;

const model: ChatModel = {
  name: 'desk-model',
  async ask({ messages }) {
    const said = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    return { text: `You said: ${said}`, toolCalls: [], finish: 'stop' };
  },
};

const { worker, TurnRunner } = createHoldfast({
  agents: [{ ...desk, model }],
  use: [aiSdkUi(), files(), sessionIndex(), cors({ origins: [PAGES] })],
});

export default worker;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../../src/modules/index/entry.ts';
export { TurnRunner };
