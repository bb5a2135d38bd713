/** A Worker with an index of its chats, for pages of another origin. */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { desk } from '../../../src/examples/pages/desk.ts';
import type { ChatModel } from '../../../src/index.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { sessionIndex } from '../../../src/modules/index/entry.ts';
import { aiSdkUi } from '../../../src/surfaces/ai-sdk-ui/entry.ts';

/** The allowed origin of pages. The build inserts it. */
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
