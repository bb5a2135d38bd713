/**
 * The Worker of the `useChat` page, for pages of another origin. Its model streams its replies word by word.
 */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { desk } from '../../../src/examples/pages/desk.ts';
import { type ChatModel, content, defineTool, image, ModelError } from '../../../src/index.ts';
import type { ModelReply } from '../../../src/model/entry.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { aiSdkUi } from '../../../src/surfaces/ai-sdk-ui/entry.ts';
import { RED_SQUARE } from './red-square.ts';
import { pauseBefore, withEnd } from './slow-reply.ts';

/** The allowed origin of pages. The build inserts it. */
declare const PAGES: string;

const BYTES = Uint8Array.from(atob(RED_SQUARE), (one) => one.charCodeAt(0));

const draw = defineTool({
  name: 'draw',
  description: 'Draw a square.',
  effect: 'read',
  run: () => content(['A square:', image(BYTES, 'image/png')]),
});

/** The number of requests for a draft or a failure, by message. */
const askedCounts = new Map<string, number>();

const model: ChatModel = {
  name: 'desk-model',
  media: { message: { data: ['image/*'], url: [] }, result: { data: [], url: [] } },
  async ask({ messages }, { signal, onText, onReasoning }): Promise<ModelReply> {
    const last = messages.at(-1);
    const text = last?.text ?? '';
    if (text.includes('for ever')) {
      onText?.('I begin, and ');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    // After a reply was cut off, the loop adds a user message that asks the model to continue. It starts with a
    // bracket, and is skipped here.
    const said = messages.findLast((one) => one.role === 'user' && !one.text.startsWith('['))?.text ?? '';
    const times = (askedCounts.get(said) ?? 0) + 1;
    if (/draft|fail once/i.test(said)) askedCounts.set(said, times);
    if (/fail once/i.test(said) && times === 1) {
      onText?.('I begin, and ');
      throw new ModelError('bad-request', 'The provider says: key sk-1234 is out of credit.');
    }
    if (last?.role === 'user' && /draw/i.test(text))
      return { text: '', toolCalls: [{ id: 'c', name: 'draw', input: '{}' }], finish: 'tool-calls' };
    if (last?.role === 'user' && /refund/i.test(text)) {
      const [, euro = '5'] = /(\d+) euro/.exec(text) ?? [];
      const input = JSON.stringify({ order: 'A-17', euro: Number(euro) });
      return { text: 'Let me ask.', toolCalls: [{ id: 'c', name: 'refund', input }], finish: 'tool-calls' };
    }
    const users = messages.flatMap((one) => (one.role === 'user' ? one.text : []));
    const hasImage = last?.role === 'user' && last.parts?.some(({ type }) => type === 'file');
    const line =
      last?.role === 'tool'
        ? `Here is what came of it: ${text}`
        : hasImage
          ? 'That is a picture of a red square.'
          : text.includes('Repeat all')
            ? `You said: ${users.slice(0, -1).join(' ')}`
            : /draft|fail once/i.test(said)
              ? `Answer ${times} to: ${said}`
              : 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';
    const thought = 'They want to know something.';
    onReasoning?.(thought);
    for (const [place, word] of line.split(/(?<= )/).entries()) {
      await pauseBefore(place, text);
      onText?.(word);
    }
    const parts = [{ type: 'reasoning', text: thought } as const, { type: 'text', text: line } as const];
    return { text: line, toolCalls: [], parts, finish: 'stop' };
  },
};

const { worker, TurnRunner } = createHoldfast({
  agents: [{ ...desk, model, tools: [...(desk.tools ?? []), draw] }],
  use: [aiSdkUi(), files(), cors({ origins: [PAGES] })],
});

/**
 * Delays the preflight of a cancel request, as on a slow network. This lets a test close the page before the
 * request is sent.
 */
const fetch: typeof worker.fetch = async (request, ...more) => {
  const isFar = request.method === 'OPTIONS' && new URL(request.url).pathname.endsWith('/cancel');
  if (isFar) await new Promise((resolve) => setTimeout(resolve, 300));
  return worker.fetch(request, ...more);
};

export default { ...worker, fetch: withEnd(fetch) };
export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
