import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { TurnItem } from '../../../doors/http.ts';
import { foldStoppedTurn } from '../../../doors/session.ts';
import { type ResponseEvent, type ResponseTarget, toResponseEvents } from '../../../doors/surfaces.ts';

const TURN_PLACE = { turn: 't', at: 1_000 };
const TURN_STARTED = {
  ...TURN_PLACE,
  seq: 2,
  type: 'turn-started',
  loopId: 't',
  message: 'Hello',
  context: {},
  principal: { id: 'ada' },
} satisfies StoredEvent;
const createModelReplied = (text: string, more: object = {}): StoredEvent =>
  ({
    ...TURN_PLACE,
    seq: 3,
    type: 'model-replied',
    model: 'm',
    text,
    toolCalls: [],
    finish: 'stop',
    ...more,
  }) as StoredEvent;
const createTurnEnded = (
  outcome: 'completed' | 'cancelled' | 'limit-reached' | 'failed',
  more: object = {},
): StoredEvent => ({ ...TURN_PLACE, seq: 4, type: 'turn-ended', outcome, ...more }) as StoredEvent;

const toAnswerItem = (events: readonly StoredEvent[]): TurnItem => {
  const answer = foldStoppedTurn('s', 'agent', events);
  if (answer.outcome === 'suspended') throw new Error('The turn is suspended.');
  return { type: 'answer', answer: { ...answer, outcome: answer.outcome } };
};

const createTextDelta = (text: string, more: object = {}): TurnItem => ({
  type: 'text-delta',
  reply: '1.1',
  text,
  ...more,
});

const toFileUrl = (id: string): string => `/files/${id}`;

async function translateItems(items: readonly TurnItem[], after = 0): Promise<ResponseEvent[]> {
  const echoed = {
    ...{ model: 'agent', metadata: {}, previous_response_id: null, background: false },
    ...{ instructions: null, text: { format: { type: 'text' as const } } },
  } as const;
  const wanted: ResponseTarget = {
    agent: 'agent',
    session: 's',
    turn: 't',
    part: 0,
    echoed,
    fileUrl: toFileUrl,
    now: 0,
    after,
  };
  async function* yieldItems() {
    yield* items;
  }
  const events: ResponseEvent[] = [];
  for await (const event of toResponseEvents(yieldItems(), wanted)) events.push(event);
  return events;
}

/** Returns the relevant content of each event. */
const summarizeEvents = (events: readonly ResponseEvent[]): string[] =>
  events.flatMap((event) => {
    if ('delta' in event) return [`+${event.delta}`];
    if (event.type === 'response.output_item.done' && event.item.type === 'message')
      return [`${event.item.status}: ${event.item.content[0]?.text}`];
    return 'response' in event && event.type !== 'response.created' && event.type !== 'response.in_progress'
      ? [
          event.type,
          ...event.response.output.map((item) =>
            JSON.stringify(item.type === 'message' && item.content[0]?.text),
          ),
        ]
      : [];
  });

describe('a response in the OpenAI format', () => {
  it('replaces streamed text after a reply has restarted', async () => {
    const events = [TURN_STARTED, createModelReplied('It is right.'), createTurnEnded('completed')];
    const items = [
      TURN_STARTED,
      createTextDelta('It is wr'),
      { type: 'reply-restarted', reply: '1.2' } as const,
      createTextDelta('It is'),
      ...events.slice(1),
    ];
    expect(summarizeEvents(await translateItems([...items, toAnswerItem(events)]))).toEqual([
      '+It is wr',
      'incomplete: It is wr',
      '+It is right.',
      'completed: It is right.',
      'response.completed',
      '"It is right."',
    ]);
  });

  it('replaces streamed text after its invocation was lost', async () => {
    const resumed = { ...TURN_PLACE, seq: 3, type: 'turn-resumed', cause: 'expired' } satisfies StoredEvent;
    const rest = [createModelReplied('It is right.', { seq: 4 }), createTurnEnded('completed', { seq: 5 })];
    const items = [TURN_STARTED, createTextDelta('It is wr'), resumed, createTextDelta('It'), ...rest];
    expect(
      summarizeEvents(await translateItems([...items, toAnswerItem([TURN_STARTED, resumed, ...rest])])),
    ).toEqual([
      '+It is wr',
      'incomplete: It is wr',
      '+It is right.',
      'completed: It is right.',
      'response.completed',
      '"It is right."',
    ]);
  });

  it('replaces streamed text that differs from the journal', async () => {
    const events = [TURN_STARTED, createModelReplied('It is right.'), createTurnEnded('completed')];
    expect(
      summarizeEvents(
        await translateItems([
          TURN_STARTED,
          createTextDelta('It was'),
          ...events.slice(1),
          toAnswerItem(events),
        ]),
      ),
    ).toEqual([
      '+It was',
      'incomplete: It was',
      '+It is right.',
      'completed: It is right.',
      'response.completed',
      '"It is right."',
    ]);
  });

  it('streams the rest of a reply if its reader connects in the middle', async () => {
    const events = [TURN_STARTED, createModelReplied('It is right.'), createTurnEnded('completed')];
    const seen = await translateItems([TURN_STARTED, createTextDelta('It '), createTextDelta('is ')]);
    const items = [
      TURN_STARTED,
      createTextDelta('It is ri'),
      createTextDelta('ght.'),
      ...events.slice(1),
      toAnswerItem(events),
    ];
    const rest = await translateItems(items, seen.at(-1)?.sequence_number);
    expect(summarizeEvents([...seen, ...rest])).toEqual([
      '+It ',
      '+is ',
      '+ri',
      '+ght.',
      'completed: It is right.',
      'response.completed',
      '"It is right."',
    ]);
  });

  it.each([
    [
      'limit-reached',
      {},
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'incomplete',
    ],
    ['cancelled', {}, { status: 'cancelled' }, 'incomplete'],
    [
      'failed',
      { error: { type: 'model-failure', message: 'It broke.' } },
      { status: 'failed', error: { code: 'server_error', type: 'server_error', message: 'It broke.' } },
      'failed',
    ],
    [
      'failed',
      { error: { type: 'model-failure', message: 'Too much.', retryAfter: 3 } },
      { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Too much.' } },
      'failed',
    ],
  ] as const)('ends with the status of its turn: %s', async (outcome, more, response, type) => {
    const events = [TURN_STARTED, createModelReplied('So far.'), createTurnEnded(outcome, more)];
    expect((await translateItems([...events, toAnswerItem(events)])).at(-1)).toMatchObject({
      type: `response.${type}`,
      response,
    });
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('is incomplete if its last reply was cut off: %s', async (finish, reason) => {
    const events = [TURN_STARTED, createModelReplied('So f', { finish }), createTurnEnded('completed')];
    expect((await translateItems([...events, toAnswerItem(events)])).at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason } },
    });
  });

  it('contains the answer from the journal if transformers have changed it', async () => {
    const events = [
      TURN_STARTED,
      createModelReplied('It is 3.'),
      createTurnEnded('completed', { text: 'It is three.' }),
    ];
    expect(summarizeEvents(await translateItems([...events, toAnswerItem(events)])).slice(-2)).toEqual([
      'response.completed',
      '"It is three."',
    ]);
  });

  it('contains its sources and the images of its model', async () => {
    const parts = [
      { type: 'text', text: 'It is 3.' },
      { type: 'source', id: '1', url: 'https://a.example/b', title: 'B' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    ];
    const events = [TURN_STARTED, createModelReplied('It is 3.', { parts }), createTurnEnded('completed')];
    expect((await translateItems([...events, toAnswerItem(events)])).at(-1)).toMatchObject({
      response: {
        output: [
          {
            type: 'message',
            content: [{ annotations: [{ type: 'url_citation', url: 'https://a.example/b', title: 'B' }] }],
          },
          { type: 'image_generation_call', status: 'completed', result: 'AAAA' },
        ],
      },
    });
  });

  it('reports that its session was erased', async () => {
    expect((await translateItems([TURN_STARTED, { type: 'erased', turn: 't' }])).at(-1)).toEqual({
      type: 'error',
      code: 'session_erased',
      message: 'The session of this response was erased.',
      param: null,
      sequence_number: 200_000_002,
    });
  });
});
