import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HoldfastError, type StreamItem } from '../../../../src/client/entry.ts';
import {
  ANSWER,
  collect,
  createFakeSession,
  createFrame,
  createJsonResponse,
  createProblemResponse,
  createStoredFrame,
  createStreamResponse,
  LOST_ERROR,
  withoutWaiting,
} from './fake-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const STARTED_FRAME = createStoredFrame(2, 'turn-started', { message: 'Pay.' });
const DELTA_FRAME = createFrame('text-delta', { reply: 'r1', text: 'Pai' });
const REPLIED_FRAME = createStoredFrame(3, 'model-replied', { text: 'Paid.' });
const ENDED_FRAME = createStoredFrame(4, 'turn-ended', { outcome: 'completed' });
const END_FRAMES = [REPLIED_FRAME, ENDED_FRAME, createFrame('answer', ANSWER)];

/** Returns a short form of the stream items. */
const summarizeItems = (items: readonly StreamItem[]) =>
  items.map((item) => ('seq' in item ? item.seq : item.type));

describe('a stream of a turn', () => {
  it.each([undefined, 1, 7])(
    'yields the events and then the answer if it arrives in pieces of %s bytes',
    async (size) => {
      const { session, got } = createFakeSession(
        createStreamResponse([STARTED_FRAME, ': \n\n', DELTA_FRAME, ...END_FRAMES], 'open', size),
      );
      const items = await collect(session.stream('Pay.'));
      expect(summarizeItems(items)).toEqual([2, 'text-delta', 3, 4, 'answer']);
      expect(items[1]).toEqual({ type: 'text-delta', reply: 'r1', text: 'Pai' });
      expect(items.at(-1)).toEqual({ type: 'answer', answer: ANSWER });
      expect(got).toEqual([
        {
          path: '/messages?whenBusy=reject',
          method: 'POST',
          headers: {
            accept: 'text/event-stream',
            authorization: 'Bearer secret',
            'content-type': 'application/json',
            'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
          },
          body: '{"message":"Pay."}',
          signal: expect.any(AbortSignal),
        },
      ]);
    },
  );

  it.each(['closed', 'broken'] as const)(
    'resumes after the last event if its connection is %s',
    async (end) => {
      const { session, got } = createFakeSession(
        createStreamResponse([STARTED_FRAME, DELTA_FRAME], end),
        LOST_ERROR,
        createStreamResponse([createStoredFrame(2, 'turn-started'), ...END_FRAMES]),
      );
      const items = await withoutWaiting(collect(session.stream('Pay.')));
      expect(summarizeItems(items)).toEqual([2, 'text-delta', 'resumed', 3, 4, 'answer']);
      const again = got.slice(1).map(({ method, path, headers }) => [method, path, headers['last-event-id']]);
      expect(again).toEqual([
        ['GET', '/turns/t1', 'i.2'],
        ['GET', '/turns/t1', 'i.2'],
      ]);
    },
  );

  it('sends its message again with the same key if it has received no event of the turn', async () => {
    const { session, got } = createFakeSession(
      LOST_ERROR,
      createStreamResponse([]),
      createProblemResponse('newer-deployment', 503, {}, { 'retry-after': '5' }),
      createStreamResponse([STARTED_FRAME, ...END_FRAMES]),
    );
    expect(summarizeItems(await withoutWaiting(collect(session.stream('Pay.'))))).toEqual([
      2,
      3,
      4,
      'answer',
    ]);
    expect(got.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'POST']);
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(got.every(({ headers }) => !('last-event-id' in headers))).toBe(true);
  });

  it('uses a new key for each message, or the key that the caller provides', async () => {
    const { session, got } = createFakeSession(...[1, 2, 3].map(() => createStreamResponse(END_FRAMES)));
    await session.send('a');
    await session.send('a');
    await session.send('a', { idempotencyKey: 'mine' });
    const keys = got.map(({ headers }) => headers['idempotency-key']);
    expect([new Set(keys).size, keys[2]]).toEqual([3, 'mine']);
  });

  it('resumes at once if the invocation that sent it has ended', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([STARTED_FRAME, createFrame('continues', { turn: 't1', after: 2 })]),
      createStreamResponse([...END_FRAMES]),
    );
    expect(summarizeItems(await collect(session.stream('Pay.')))).toEqual([2, 'resumed', 3, 4, 'answer']);
    expect(got[1]).toMatchObject({ method: 'GET', path: '/turns/t1', headers: { 'last-event-id': 'i.2' } });
  });

  it('yields each piece of a reply once, although each connection repeats the reply from the beginning', async () => {
    const createDelta = (text: string, more: object = {}) =>
      createFrame('text-delta', { reply: '1.1', text, ...more });
    const thought = createFrame('reasoning-delta', { reply: '1.1', text: 'Hm. ' });
    const { session } = createFakeSession(
      createStreamResponse(
        [STARTED_FRAME, thought, createDelta('I '), createDelta('in', { frame: 'c' }), createDelta('pa')],
        'broken',
      ),
      createStreamResponse([thought, createDelta('I pay'), createDelta('inside', { frame: 'c' })], 'broken'),
      createStreamResponse([thought], 'broken'),
      createStreamResponse([thought, createDelta('I pay.'), ...END_FRAMES]),
    );
    const items = await withoutWaiting(collect(session.stream('Pay.')));
    const words = items.flatMap((item) => ('text' in item && !('seq' in item) ? [item.text] : []));
    expect(words).toEqual(['Hm. ', 'I ', 'in', 'pa', 'y', 'side', '.']);
  });

  it('reports a restarted reply once, and yields the reply of the next lease holder from the beginning', async () => {
    const createDelta = (text: string, reply = '1.2') => createFrame('text-delta', { reply, text });
    const restarted = createFrame('reply-restarted', { reply: '1.2' });
    const resumed = createStoredFrame(3, 'turn-resumed', { cause: 'expired' });
    const { session } = createFakeSession(
      createStreamResponse(
        [STARTED_FRAME, createDelta('I pa', '1.1'), restarted, createDelta('I w')],
        'broken',
      ),
      createStreamResponse([restarted, createDelta('I will')], 'broken'),
      createStreamResponse(
        [resumed, restarted, createDelta('Paid'), createStoredFrame(4, 'model-replied', { text: 'Paid.' })],
        'broken',
      ),
      createStreamResponse([
        createDelta('1', '1.2'),
        createStoredFrame(5, 'turn-ended', { outcome: 'completed' }),
        createFrame('answer', ANSWER),
      ]),
    );
    const items = await withoutWaiting(collect(session.stream('Pay.')));
    const told = items.map((item) => ('text' in item && !('seq' in item) ? item.text : item.type));
    expect(told.filter((one) => one !== 'resumed')).toEqual([
      'turn-started',
      'I pa',
      'reply-restarted',
      'I w',
      'ill',
      'turn-resumed',
      'reply-restarted',
      'Paid',
      'model-replied',
      '1',
      'turn-ended',
      'answer',
    ]);
  });

  it('waits before it resumes if the ended invocation sent no events', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([STARTED_FRAME, createFrame('continues', { turn: 't1', after: 2 })]),
      createStreamResponse([createFrame('continues', { turn: 't1', after: 2 })]),
      createStreamResponse([...END_FRAMES]),
    );
    const reading = collect(session.stream('Pay.'));
    await vi.advanceTimersByTimeAsync(100);
    expect(got.length).toBe(2);
    expect(summarizeItems(await withoutWaiting(reading))).toEqual([2, 'resumed', 'resumed', 3, 4, 'answer']);
  });

  it('waits at most 30 seconds, even if the server asks for more', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse(['retry: 99999999999\n\n', STARTED_FRAME]),
      createStreamResponse([...END_FRAMES]),
    );
    const reading = collect(session.stream('Pay.'));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(got.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(summarizeItems(await reading)).toEqual([2, 'resumed', 3, 4, 'answer']);
  });

  it('follows a turn that moves to another invocation', async () => {
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME, createFrame('accepted', { turn: 't1', status: 'accepted' })]),
      createStreamResponse([createFrame('accepted', { turn: 't1', status: 'accepted' })]),
      createStreamResponse(END_FRAMES),
    );
    expect(summarizeItems(await withoutWaiting(collect(session.stream('Pay.'))))).toEqual([
      2,
      'resumed',
      'resumed',
      3,
      4,
      'answer',
    ]);
  });

  it('reconnects if the server sends no data for 50 seconds', async () => {
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME], 'open'),
      createStreamResponse(END_FRAMES),
    );
    const items = collect(session.stream('Pay.'));
    await vi.advanceTimersByTimeAsync(49_999);
    let isOver = false;
    void items.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(false);
    expect(summarizeItems(await withoutWaiting(items))).toEqual([2, 'resumed', 3, 4, 'answer']);
  });

  it('ends with the pending calls if the turn is suspended', async () => {
    const view = {
      turn: 't1',
      outcome: 'suspended',
      status: 'suspended',
      text: '',
      pending: [{ call: 'c1' }],
    };
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME, createFrame('suspended', view)]),
    );
    expect((await collect(session.stream('Pay.'))).at(-1)).toEqual({ type: 'suspended', answer: view });
  });

  it('ends with the status of the message if the turn starts later', async () => {
    const view = { turn: 't1', status: 'queued' };
    const { session, got } = createFakeSession(createJsonResponse(view, 202));
    expect(await collect(session.stream('Pay.', { whenBusy: 'queue', background: true }))).toEqual([
      { type: 'later', answer: view },
    ]);
    expect([got[0]?.path, got[0]?.headers.prefer]).toEqual(['/messages?whenBusy=queue', 'respond-async']);
  });

  it.each([
    ['an erased frame', createStreamResponse([STARTED_FRAME, createFrame('erased', { turn: 't1' })])],
    ['a reconnect that returns 410', createStreamResponse([STARTED_FRAME])],
  ])('ends with an erased item after %s', async (_, first) => {
    const { session } = createFakeSession(first, createProblemResponse('session-erased', 410));
    const items = await withoutWaiting(collect(session.stream('Pay.')));
    expect(items.at(-1)).toMatchObject({ type: 'erased' });
  });

  it('rejects if it breaks off repeatedly without new events', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([STARTED_FRAME]),
      ...Array.from({ length: 9 }, () => createStreamResponse([])),
    );
    await expect(withoutWaiting(collect(session.stream('Pay.')))).rejects.toThrow(
      new HoldfastError(
        'connection-lost',
        'The stream of /agents/clerk/sessions/s1/turns/t1 was lost 6 times.',
      ),
    );
    expect(got).toHaveLength(6);
  });

  it('continues if a proxy ends it every 30 seconds while the turn is silent', async () => {
    const createSilentStream = () => {
      let beats = 0;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 15_000));
          beats += 1;
          if (beats === 2) controller.error(new TypeError('terminated'));
          else controller.enqueue(new TextEncoder().encode(':\n\n'));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { session, got } = createFakeSession(
      createStreamResponse([STARTED_FRAME]),
      ...Array.from({ length: 20 }, () => createSilentStream),
      createStreamResponse(END_FRAMES),
    );
    expect((await withoutWaiting(collect(session.stream('Pay.')))).at(-1)).toEqual({
      type: 'answer',
      answer: ANSWER,
    });
    expect(got).toHaveLength(22);
  });

  it('reports no erased session if another server returns 404 in the meantime', async () => {
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME]),
      new Response('There is nothing here yet', { status: 404 }),
    );
    await expect(withoutWaiting(collect(session.stream('Pay.')))).rejects.toMatchObject({
      type: 'bad-response',
      status: 404,
    });
  });

  it.each([
    ['not JSON', 'data: {"a\n\n'],
    ['not a JSON object', 'data: 1\n\n'],
  ])('rejects if the data of an event is %s', async (_, text) => {
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME, `event: model-replied\n${text}`]),
    );
    await expect(collect(session.stream('Pay.'))).rejects.toThrow(
      /^The server returned 200 without a Holdfast response\. Check the url\. The body begins: (\{"a|1)$/,
    );
  });

  it('yields unknown events of a newer server', async () => {
    const { session } = createFakeSession(
      createStreamResponse([createFrame('weather', { sun: true }), ...END_FRAMES]),
    );
    expect((await collect(session.stream('Pay.')))[0]).toEqual({ type: 'weather', sun: true });
  });

  it('closes its connection if the caller stops reading', async () => {
    const cancel = vi.fn();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(STARTED_FRAME)),
      cancel,
    });
    const { session } = createFakeSession(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
    for await (const _ of session.stream('Pay.')) break;
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('closes a resumed connection if the caller stops reading', async () => {
    const cancel = vi.fn();
    const { session } = createFakeSession(
      createStreamResponse([STARTED_FRAME]),
      new Response(new ReadableStream({ cancel }), { headers: { 'content-type': 'text/event-stream' } }),
    );
    const leaving = (async () => {
      for await (const item of session.stream('Pay.')) if (item.type === 'resumed') break;
    })();
    await withoutWaiting(leaving);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('yields no events after its signal has aborted', async () => {
    const leave = new AbortController();
    const { session } = createFakeSession(createStreamResponse([STARTED_FRAME, DELTA_FRAME, ...END_FRAMES]));
    const shown: string[] = [];
    const reading = (async () => {
      for await (const { type } of session.stream('Pay.', { signal: leave.signal })) {
        shown.push(type);
        leave.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(shown).toEqual(['turn-started']);
  });

  it('rejects with the reason of its signal, even while it waits to reconnect', async () => {
    const leave = new AbortController();
    const { session, got } = createFakeSession(createStreamResponse([STARTED_FRAME]));
    const items = collect(session.stream('Pay.', { signal: leave.signal }));
    const rejected = expect(items).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(100);
    leave.abort(new Error('enough'));
    await rejected;
    expect(got).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('streamAnswers', () => {
  it('sends each answer with its call and question, and yields only new events', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([createStoredFrame(7, 'tool-call-answered'), createFrame('answer', ANSWER)]),
    );
    const items = await collect(
      session.streamAnswers([
        { call: { call: 'c1', question: 2 }, decision: 'approve' },
        { call: { call: 'c2', question: 1 }, result: { ok: true } },
        { call: 'c3', decision: 'reject', reason: 'No.' },
      ]),
    );
    expect(summarizeItems(items)).toEqual([7, 'answer']);
    expect([got[0]?.path, JSON.parse(String(got[0]?.body))]).toEqual([
      '/answers?after=0',
      {
        answers: [
          { call: 'c1', question: 2, decision: 'approve' },
          { call: 'c2', question: 1, result: { ok: true } },
          { call: 'c3', decision: 'reject', reason: 'No.' },
        ],
      },
    ]);
  });

  it('continues after the reply with the calls, or after the last event that was yielded', async () => {
    const pending = { call: 't1.3.0', question: 1 };
    const view = { outcome: 'suspended', status: 'suspended', pending: [pending] };
    const asked = [
      STARTED_FRAME,
      REPLIED_FRAME,
      createStoredFrame(4, 'tool-call-suspended'),
      createFrame('suspended', view),
    ];
    const more = [
      createStoredFrame(4, 'tool-call-suspended'),
      createStoredFrame(5, 'tool-call-answered'),
      createFrame('answer', ANSWER),
    ];
    const { session, got } = createFakeSession(
      createStreamResponse(more),
      createStreamResponse(asked),
      createStreamResponse(more),
    );
    expect(
      summarizeItems(await collect(session.streamAnswers([{ call: pending, decision: 'approve' }]))),
    ).toEqual([4, 5, 'answer']);
    await session.send('Pay.');
    expect(
      summarizeItems(await collect(session.streamAnswers([{ call: pending, decision: 'approve' }]))),
    ).toEqual([5, 'answer']);
    expect(got.map(({ path }) => path)).toEqual([
      '/answers?after=3',
      '/messages?whenBusy=reject',
      '/answers?after=4',
    ]);
  });

  it('yields all new events if the name of the session was used before', async () => {
    const call = 't2.3.0';
    const { session, got } = createFakeSession(
      createStreamResponse([createStoredFrame(40, 'turn-started'), createFrame('erased', { turn: 't1' })]),
      createStreamResponse([
        createStoredFrame(5, 'tool-call-answered', { turn: 't2' }),
        createFrame('answer', ANSWER),
      ]),
    );
    await collect(session.follow('t1'));
    expect(summarizeItems(await collect(session.streamAnswers([{ call, decision: 'approve' }])))).toEqual([
      5,
      'answer',
    ]);
    expect(got[1]?.path).toBe('/answers?after=3');
  });

  it('accepts a single decision or result', async () => {
    const { session, got } = createFakeSession(
      ...[1, 2, 3].map(() => createStreamResponse([createFrame('answer', ANSWER)])),
    );
    expect(await session.decide('c1', 'approve')).toEqual(ANSWER);
    await session.decide('c1', { decision: 'edit', input: { a: 1 } });
    await session.result('c1', { error: 'No.' });
    expect(got.map(({ body }) => JSON.parse(String(body)).answers[0])).toEqual([
      { call: 'c1', decision: 'approve' },
      { call: 'c1', decision: 'edit', input: { a: 1 } },
      { call: 'c1', error: 'No.' },
    ]);
  });
});

describe('a watched session', () => {
  it('yields one turn after another, resumes after the last event, and ends when it is erased', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([
        STARTED_FRAME,
        DELTA_FRAME,
        REPLIED_FRAME,
        ENDED_FRAME,
        createFrame('continues', { after: 4, events: '/x' }),
      ]),
      createStreamResponse([createStoredFrame(5, 'turn-started', { turn: 't2' })]),
      createProblemResponse('unknown-session', 404),
    );
    const items = await withoutWaiting(collect(session.watch({ after: 1 })));
    expect(summarizeItems(items)).toEqual([2, 'text-delta', 3, 4, 'resumed', 5, 'erased']);
    expect(got.map(({ path, headers }) => [path, headers['last-event-id']])).toEqual([
      ['/events?after=1', undefined],
      ['/events?after=1', 'i.4'],
      ['/events?after=1', 'i.5'],
    ]);
  });

  it('rejects if the session has not started', async () => {
    const { session } = createFakeSession(createProblemResponse('unknown-session', 404));
    await expect(collect(session.watch())).rejects.toMatchObject({ type: 'unknown-session' });
  });
});
