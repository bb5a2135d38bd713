/** The desk example for pages of another origin. Its model streams its replies word by word. */

import { createHoldfast } from '../../../src/create-holdfast.ts';
import { desk } from '../../../src/examples/pages/desk.ts';
import type { ChatModel } from '../../../src/index.ts';
import type { ModelReply } from '../../../src/model/entry.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { liveText } from '../../../src/modules/live-text/entry.ts';
import { pauseBefore, withEnd } from './slow-reply.ts';

/** The allowed origin of pages. The build inserts it. */
declare const PAGES: string;

const MINUTE = 60_000;

const createTextReply = (text: string): ModelReply => ({ text, toolCalls: [], finish: 'stop' });

const model: ChatModel = {
  name: 'desk-model',
  media: { message: { data: ['image/*'], url: [] }, result: { data: [], url: [] } },
  async ask({ messages }, { signal, onText }) {
    const last = messages.at(-1);
    const text = last?.text ?? '';
    if (text.includes('Break')) throw new Error('The message asked the model to fail.');
    if (text.includes('for ever')) {
      onText?.('I begin, and ');
      await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        setTimeout(resolve, MINUTE);
      });
    }
    if (last?.role === 'user' && /refund/i.test(text)) {
      const [, euro = '5'] = /(\d+) euro/.exec(text) ?? [];
      const input = JSON.stringify({ order: 'A-17', euro: Number(euro) });
      return { text: 'Let me ask.', toolCalls: [{ id: 'c', name: 'refund', input }], finish: 'tool-calls' };
    }
    const hasImage = last?.role === 'user' && last.parts?.some(({ type }) => type === 'file');
    const line =
      last?.role === 'tool'
        ? `Here is what came of it: ${text}`
        : hasImage
          ? 'That is a picture of a red square.'
          : 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';
    for (const [place, word] of line.split(/(?<= )/).entries()) {
      await pauseBefore(place, text);
      onText?.(word);
    }
    return createTextReply(line);
  },
};

const { worker, TurnRunner } = createHoldfast({
  agents: [{ ...desk, model }],
  use: [files(), liveText(), cors({ origins: [PAGES] })],
});

export default { ...worker, fetch: withEnd(worker.fetch) };
export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
