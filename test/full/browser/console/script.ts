/** The scripted model of the shop. */
import type { ChatModel } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply, ReplyPart } from '../../../../src/model/entry.ts';
import { pauseBefore } from '../slow-reply.ts';

/** Untrusted content: markup, scripts, right-to-left text, and a line of one megabyte. */
export const HOSTILE = [
  '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>',
  '<svg/onload=window.pwned=1><iframe srcdoc="<script>parent.pwned=1</script>">',
  'javascript:window.pwned=1 {{constructor.constructor("window.pwned=1")()}}',
  'The amount is \u202e00.001\u202c euro, zero\u200bwidth, bell\u0007.',
  `A long line: ${'0123456789'.repeat(100_000)}`,
].join('\n');

type Reply =
  | string
  | {
      readonly text?: string;
      readonly reasoning?: string;
      /** The address of a source that the provider cites. */
      readonly source?: string;
      /** The parts for calls that the provider has run itself. */
      readonly ranBy?: readonly ReplyPart[];
      readonly calls: readonly CallTuple[];
    };
type CallTuple = readonly [name: string, input?: object];

const orderId = 1001;

/** The replies to each message, in order. The first pattern that matches the message selects them. */
const SCRIPTS: readonly (readonly [words: RegExp, replies: readonly Reply[]])[] = [
  [/"question"/, [{ calls: [['find_order', { orderId }]] }, 'Order 1001 of Maren Olsen is damaged.']],
  [
    /^\{"orderId":2002\}$/,
    [
      { calls: [['find_order', { orderId: 2002 }]] },
      { calls: [['refund_order', { orderId: 2002, euro: 9 }]] },
      { calls: [['read_policy']] },
      { calls: [['refund_order', { orderId: 2002, euro: 9 }]] },
      'Refunded by the book.',
    ],
  ],
  [/^\{"orderId":/, [{ calls: [['pack']] }, { calls: [['ship']] }, 'The parcel is on its way.']],
  [
    /refund/i,
    [
      { reasoning: 'I need the order first.', calls: [['find_order', { orderId }]] },
      { calls: [['refund_desk']] },
      {
        text: 'I ask for the approval.',
        calls: [['read_policy'], ['refund_order', { orderId, euro: 45.9 }]],
      },
      'Order 1001 is refunded: 45.90 euro.',
    ],
  ],
  [/ship/i, [{ calls: [['send_parcel', { orderId }]] }, 'The parcel is shipped.']],
  [/book/i, [{ calls: [['refund_by_the_book', { orderId: 2002 }]] }, 'It was refunded by the book.']],
  [
    /research/i,
    [
      {
        calls: [
          ['researcher', { question: 'What is with order 1001?' }],
          ['count_stock', { shelf: 'B' }],
        ],
      },
      'It is damaged, and there are spares.',
    ],
  ],
  [/cite/i, [{ text: 'The rope is rated for 400 kg.', source: 'https://example.com/ropes', calls: [] }]],
  [/search the web/i, [{ text: 'Manila rope is out of stock.', ranBy: createProviderCalls(), calls: [] }]],
  [/again and again/i, [{ calls: [['call_carrier']] }, { calls: [['call_carrier']] }, 'It is on its way.']],
  [/weigh/i, [{ calls: [['weigh_parcel', { orderId }]] }, 'It is weighed.']],
  [/unsure/i, [{ calls: [['human_input', { question: 'Which box?' }]] }, 'Then I take that box.']],
  [
    /label/i,
    [
      {
        calls: [['label_parcels', { gift: false, parcels: [{ city: 'Bergen', size: 'small', grams: 400 }] }]],
      },
      'The labels are printed.',
    ],
  ],
  [/shelf Z/, [{ calls: [['count_stock', { shelf: 'Z' }]] }, 'There are 214 ropes.']],
  [/count/i, [{ calls: [['count_stock', { shelf: 'A' }]] }, 'There are 214 ropes.']],
  [/letter/i, [{ calls: [['read_letter']] }, HOSTILE]],
  [/carrier/i, [{ calls: [['call_carrier']] }, 'The carrier does not answer.']],
];

/** Returns a search that the provider ran, and one that failed. */
function createProviderCalls(): readonly ReplyPart[] {
  const createCall = (id: string, query: string): ReplyPart => ({
    ...{ type: 'tool-call', ranBy: 'provider', id, name: 'web_search' },
    input: JSON.stringify({ query }),
  });
  const name = 'web_search';
  return [
    createCall('s1', 'manila rope'),
    { type: 'tool-result', id: 's1', name, result: [{ title: 'Ropes <b>today</b>' }] },
    createCall('s2', 'hemp rope'),
    { type: 'tool-result', id: 's2', name, result: 'The search timed out.', isError: true },
  ];
}

const HELLO = 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';

/** Creates the model. It streams its replies word by word, and reports usage like a provider. */
export const createScriptedShop = (): ChatModel => ({
  name: 'shop-model-2',
  media: { message: { data: ['image/*'], url: [] }, result: { data: ['image/*'], url: [] } },
  prices: { input: 2.5, output: 10, cachedInput: 0.25 },
  async ask({ messages }, { onText, onReasoning, signal }) {
    const { said, at } = findPlace(messages);
    if (said.includes('Break')) throw new Error('The message asked the model to fail.');
    const reply = SCRIPTS.find(([words]) => words.test(said))?.[1][at] ?? HELLO;
    const {
      text = '',
      calls,
      reasoning,
      source,
      ranBy = [],
    } = typeof reply === 'string' ? { text: reply, calls: [] } : { ...reply };
    if (reasoning) onReasoning?.(reasoning);
    for (const [place, word] of (text.length > 10_000 ? [text] : text.split(/(?<= )/)).entries()) {
      await pauseBefore(place, said);
      signal.throwIfAborted();
      onText?.(word);
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
    return toReply({ text, calls, reasoning, source, ranBy, read: JSON.stringify(messages).length });
  },
});

function findPlace(messages: readonly ModelMessage[]) {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const at = messages.slice(from).filter(({ role }) => role === 'assistant').length;
  return { said: messages[from]?.text ?? '', at };
}

interface ReplyParts {
  readonly text: string;
  readonly calls: readonly CallTuple[];
  readonly reasoning: string | undefined;
  readonly source: string | undefined;
  readonly ranBy: readonly ReplyPart[];
  readonly read: number;
}

function toReply({ text, calls, reasoning, source, ranBy, read }: ReplyParts): ModelReply {
  const toolCalls = calls.map(([name, input = {}], at) => ({
    id: `call_${at}`,
    name,
    input: JSON.stringify(input),
  }));
  const inputTokens = Math.min(60_000, Math.ceil(read / 4));
  return {
    text,
    toolCalls,
    ...(((reasoning ?? source) !== undefined || ranBy.length > 0) && {
      parts: [
        ...ranBy,
        ...(reasoning !== undefined ? [{ type: 'reasoning', text: reasoning } as const] : []),
        ...(text ? [{ type: 'text', text } as const] : []),
        ...toolCalls.map((call) => ({ type: 'tool-call', ...call }) as const),
        ...(source !== undefined ? [{ type: 'source', id: 's1', url: source, title: 'Ropes' } as const] : []),
      ],
    }),
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: {
      inputTokens,
      outputTokens: Math.ceil((text.length + JSON.stringify(calls).length) / 4),
      cachedInputTokens: Math.floor(inputTokens * 0.7),
    },
  };
}
