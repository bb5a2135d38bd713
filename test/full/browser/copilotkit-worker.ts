/**
 * The Worker of the CopilotKit page. Its model recolors the page on request, and reports the context that the
 * page sent.
 */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { agUi } from '../../../src/examples/ag-ui/ag-ui.ts';
import { type ChatModel, defineAgent } from '../../../src/index.ts';
import { clientTools } from '../../../src/modules/client-tools/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { liveText } from '../../../src/modules/live-text/entry.ts';

/** The allowed origin of pages. The build inserts it. */
declare const PAGES: string;

const model: ChatModel = {
  name: 'guide-model',
  async ask({ messages, tools = [] }, { onText }) {
    const last = messages.at(-1);
    const [, color] = /paint it (\w+)/.exec(last?.role === 'user' ? last.text : '') ?? [];
    if (color !== undefined && tools.some(({ name }) => name === 'paint_page')) {
      const input = JSON.stringify({ color });
      return { text: '', toolCalls: [{ id: 'c', name: 'paint_page', input }], finish: 'tool-calls' };
    }
    const [, known = 'not known'] = /The color of the page: (\w+)/.exec(messages[0]?.text ?? '') ?? [];
    const text = last?.role === 'tool' ? `The page says: ${last.text}` : `The color is ${known}.`;
    onText?.(text);
    return { text, toolCalls: [], finish: 'stop' };
  },
};

const holdfast = createHoldfast({
  agents: [
    defineAgent({
      name: 'guide',
      description: 'Guides through a page.',
      instructions: 'Help on the page.',
      model,
      use: [clientTools()],
    }),
  ],
  use: [agUi(), liveText(), cors({ origins: [PAGES] })],
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
