import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient, type FetchInit } from '../../../../src/client/entry.ts';
import { createSessionStore, type SessionStore } from '../../../../src/client/react/entry.ts';
import {
  createFrame,
  createJsonResponse,
  createProblemResponse,
  createStoredFrame,
  createStreamResponse,
} from './fake-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Returns a fake server of one session, which the test controls. */
function createServer() {
  const asked: string[] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const world = {
    asked,
    state: (): Response | Promise<Response> => createProblemResponse('unknown-session', 404),
    post: (_path: string, _body: string): Response =>
      createJsonResponse({ turn: 't1', status: 'accepted' }, 202),
    /** Sends frames to all watchers. */
    async show(...frames: string[]): Promise<void> {
      stream?.enqueue(new TextEncoder().encode(frames.join('')));
      await settle();
    },
    async cut(): Promise<void> {
      stream?.error(new TypeError('terminated'));
      stream = undefined;
      await settle();
    },
    get isWatched(): boolean {
      return stream !== undefined;
    },
    async fetch(url: string, { method, body, signal }: FetchInit): Promise<Response> {
      const path = url.split('/s1')[1] ?? '';
      asked.push(`${method} ${path}`);
      if (method !== 'GET') return world.post(path, String(body));
      if (!path.startsWith('/events')) return world.state();
      const readable = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller;
          signal?.addEventListener('abort', () => {
            if (stream !== controller) return;
            stream = undefined;
            controller.error(signal.reason);
          });
        },
      });
      return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
    },
  };
  const client = createClient({ url: '', agent: 'clerk', fetch: (url, init) => world.fetch(url, init) });
  return { world, store: createSessionStore(client.session('s1')) };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

const createView = (more: object = {}) => ({
  session: 's1',
  agent: 'clerk',
  seq: 1,
  turn: null,
  openTurn: null,
  waiting: [],
  messages: [],
  pending: [],
  ...more,
});
const USER_MESSAGE = { role: 'user', text: 'Pay.' };
const PAID_MESSAGE = { role: 'assistant', text: 'Paid.' };
const call = { id: 't1.3.0', name: 'pay', providerId: 'p', input: '{"n":1}' };
const PENDING_CALL = {
  call: 't1.3.0',
  question: 1,
  tool: 'pay',
  input: { n: 1 },
  for: 'decision',
  links: { approvals: '/a/t1.3.0' },
};

const subscribeAndSettle = async (store: SessionStore) => {
  const leave = store.subscribe(() => {});
  await settle();
  return leave;
};

/** Returns a short form of the shown messages. */
const getShownLines = (store: SessionStore) =>
  store
    .getSnapshot()
    .messages.map(({ role, text, status }) => [role, text, status].filter(Boolean).join(' '));

it('the session store makes no request before the first subscriber, and then shows the state', async () => {
  const { world, store } = createServer();
  world.state = () =>
    createJsonResponse(createView({ messages: [USER_MESSAGE, { role: 'assistant', text: 'Paid.' }] }));
  expect(store.getSnapshot()).toMatchObject({ status: 'loading', isConnected: false, messages: [] });
  expect(world.asked).toEqual([]);
  await subscribeAndSettle(store);
  expect(store.getSnapshot()).toMatchObject({
    status: 'idle',
    isConnected: true,
    messages: [
      { key: '0', ...USER_MESSAGE },
      { key: '1', text: 'Paid.' },
    ],
  });
  expect(world.asked).toEqual(['GET ', 'GET /events?after=1']);
});

it('the session store shows a turn live: its message, its text, its calls and their results', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createFrame('reasoning-delta', { reply: '1.1', text: 'Hm.' }),
    createFrame('text-delta', { reply: '1.1', text: 'I ' }),
  );
  expect(store.getSnapshot().status).toBe('running');
  await world.show(
    createFrame('text-delta', { reply: '1.1', text: 'pay' }),
    createFrame('text-delta', { reply: '1.1', frame: 'inner', text: 'unseen' }),
  );
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I pay streaming']);
  expect(store.getSnapshot().messages[1]?.reasoning).toBe('Hm.');
  await world.show(createFrame('reply-restarted', { reply: '1.2' }));
  expect(getShownLines(store)).toEqual(['user Pay.']);
  const parts = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'I pay.' },
  ];
  await world.show(
    createFrame('text-delta', { reply: '1.2', text: 'I pay.' }),
    createStoredFrame(3, 'model-replied', { text: 'I pay.', toolCalls: [call], parts }),
  );
  expect(store.getSnapshot().messages[1]).toEqual({
    key: '1',
    role: 'assistant',
    text: 'I pay.',
    reasoning: 'Hm.',
    calls: [{ id: 't1.3.0', name: 'pay', input: { n: 1 }, status: 'asked' }],
  });
  await world.show(
    createStoredFrame(4, 'tool-call-started', { call: 't1.3.0' }),
    createFrame('progress', { call: 't1.3.0', status: 'half' }),
    createStoredFrame(5, 'message-sent', { call: 't1.3.0', tool: 'pay', text: 'Wait.' }),
  );
  expect(store.getSnapshot().messages[1]?.calls?.[0]).toMatchObject({ status: 'started', progress: 'half' });
  const file = { type: 'file', id: 'ab', mediaType: 'image/png', size: 3 };
  await world.show(
    createStoredFrame(6, 'tool-call-ended', {
      call: 't1.3.0',
      result: { type: 'content', parts: [{ type: 'text', text: 'Done.' }, file] },
    }),
  );
  expect(store.getSnapshot().messages[1]?.calls?.[0]).toMatchObject({
    status: 'ended',
    result: 'Done.',
    files: [{ id: 'ab', mediaType: 'image/png' }],
  });
  const asked = world.asked.length;
  world.state = () =>
    createJsonResponse(
      createView({ seq: 8, messages: [USER_MESSAGE, { role: 'assistant', text: 'All of it.' }] }),
    );
  await world.show(
    createStoredFrame(7, 'model-replied', { text: 'Paid.', toolCalls: [] }),
    createStoredFrame(8, 'turn-ended', { outcome: 'completed' }),
  );
  // Only the end of the turn caused a request for the state.
  expect(world.asked.slice(asked)).toEqual(['GET ']);
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant All of it.']);
  expect(store.getSnapshot().status).toBe('idle');
});

it('the session store shows a sent message at once, and replaces it with the stored message when its turn starts', async () => {
  const { world, store } = createServer();
  await subscribeAndSettle(store);
  expect(store.getSnapshot()).toMatchObject({ status: 'idle', isConnected: true, messages: [] });
  const sent = store.send('Pay.', { files: [new File(['x'], 'x.png', { type: 'image/png' })] });
  expect(store.getSnapshot().messages).toEqual([
    {
      key: 'sent-1',
      role: 'user',
      text: 'Pay.',
      files: [{ mediaType: 'image/png', name: 'x.png' }],
      status: 'sending',
    },
  ]);
  world.state = () => createJsonResponse(createView());
  expect(await sent).toBe(true);
  await settle();
  await world.show(createStoredFrame(2, 'turn-started', { message: 'Pay.' }));
  expect(getShownLines(store)).toEqual(['user Pay.']);
});

it('the session store shows the first turn of a session from the stream of its message', async () => {
  const { world, store } = createServer();
  await subscribeAndSettle(store);
  const frames = [
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createFrame('text-delta', { reply: '1.1', text: 'Pai' }),
  ];
  world.post = () => createStreamResponse(frames, 'open');
  expect(await store.send('Pay.')).toBe(true);
  await settle();
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant Pai streaming']);
  expect(store.getSnapshot().status).toBe('running');
  await vi.advanceTimersByTimeAsync(20_000);
  // Until that stream ends, the store makes no further request.
  expect(world.asked).toEqual(['GET ', 'POST /messages?whenBusy=reject']);
});

it('the session store follows the session once the stream of its first message has ended', async () => {
  const { world, store } = createServer();
  await subscribeAndSettle(store);
  world.post = () => {
    world.state = () =>
      createJsonResponse(
        createView({ seq: 4, messages: [USER_MESSAGE, { role: 'assistant', text: 'Paid.' }] }),
      );
    return createStreamResponse([
      createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
      createStoredFrame(3, 'model-replied', { text: 'Paid.', toolCalls: [] }),
      createStoredFrame(4, 'turn-ended', { outcome: 'completed' }),
      createFrame('answer', { turn: 't1', outcome: 'completed', text: 'Paid.' }),
    ]);
  };
  await store.send('Pay.');
  await settle();
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant Paid.']);
  expect(store.getSnapshot().status).toBe('idle');
  expect(world.asked.at(-1)).toBe('GET /events?after=4');
});

it('the session store shows a message once even if its turn starts before the response arrives', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  const sent = store.send('Pay.');
  await world.show(createStoredFrame(2, 'turn-started', { message: 'Pay.' }));
  expect(getShownLines(store)).toEqual(['user Pay.']);
  await sent;
  expect(getShownLines(store)).toEqual(['user Pay.']);
});

it('the session store removes a refused message and shows why it was refused', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  world.post = () => createProblemResponse('session-busy', 409);
  await subscribeAndSettle(store);
  expect(await store.send('Pay.')).toBe(false);
  expect(store.getSnapshot()).toMatchObject({
    messages: [],
    error: { type: 'session-busy', message: 'It is session-busy.' },
  });
  world.post = () => createJsonResponse({ turn: 't1', status: 'accepted' }, 202);
  await store.send('Pay.');
  expect(store.getSnapshot().error).toBeUndefined();
});

it('the session store shows pending calls and sends a decision once', async () => {
  const { world, store } = createServer();
  const waiting = createView({
    seq: 4,
    openTurn: 't1',
    messages: [
      USER_MESSAGE,
      { role: 'assistant', text: '', toolCalls: [{ id: 't1.3.0', name: 'pay', input: {}, status: 'asked' }] },
    ],
    pending: [PENDING_CALL],
  });
  world.state = () => createJsonResponse(waiting);
  await subscribeAndSettle(store);
  expect(store.getSnapshot()).toMatchObject({ status: 'waiting', pending: [PENDING_CALL] });
  expect(store.getSnapshot().messages[1]?.calls?.[0]?.status).toBe('waiting');
  const bodies: string[] = [];
  world.post = (path, body) => {
    bodies.push(`${path} ${body}`);
    return createJsonResponse({ turn: 't1', status: 'accepted' }, 202);
  };
  const deciding = store.decide(store.getSnapshot().pending[0] ?? '', 'approve');
  expect(store.getSnapshot()).toMatchObject({ status: 'running', pending: [] });
  expect(await deciding).toBe(true);
  expect(bodies).toEqual([
    '/answers?after=3 {"answers":[{"call":"t1.3.0","question":1,"decision":"approve"}]}',
  ]);
  await world.show(createStoredFrame(5, 'tool-call-answered', { call: 't1.3.0' }));
  expect(store.getSnapshot().messages[1]?.calls?.[0]?.status).toBe('started');
  world.post = () => createProblemResponse('already-answered', 409);
  expect(await store.decide(PENDING_CALL.call, 'reject')).toBe(false);
});

it('the session store shows a pending call again if its decision was not accepted', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', pending: [PENDING_CALL] }));
  world.post = () => createProblemResponse('role-required', 403);
  await subscribeAndSettle(store);
  await store.decide(store.getSnapshot().pending[0] ?? '', 'approve');
  expect(store.getSnapshot()).toMatchObject({
    status: 'waiting',
    pending: [PENDING_CALL],
    error: { type: 'role-required' },
  });
});

it('the session store cancels the running turn', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1' }));
  await subscribeAndSettle(store);
  expect(await store.stop()).toBe(true);
  expect(world.asked.at(-1)).toBe('POST /cancel');
});

it('the session store resumes after the last seen event when the connection was lost', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createFrame('text-delta', { reply: '1.1', text: 'I ' }),
  );
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(world.isWatched).toBe(true);
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I  streaming']);
  await world.show(
    createFrame('text-delta', { reply: '1.1', text: 'I pay' }),
    createFrame('text-delta', { reply: '1.1', text: '.' }),
  );
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I pay. streaming']);
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createStoredFrame(3, 'model-replied', { text: 'I pay.', toolCalls: [] }),
  );
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I pay.']);
});

it('the session store reports an unreachable server and retries while it has subscribers', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ messages: [USER_MESSAGE] }));
  const leave = await subscribeAndSettle(store);
  const { fetch } = world;
  world.fetch = async () => {
    throw new TypeError('fetch failed');
  };
  await world.cut();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.getSnapshot()).toMatchObject({
    isConnected: false,
    error: { type: 'connection-lost' },
    messages: [USER_MESSAGE],
  });
  world.fetch = fetch;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.getSnapshot()).toMatchObject({ isConnected: true, error: undefined });
  leave();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([world.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
});

it('the session store removes the data of an erased session, and shows a new session with the same name', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  world.state = () => createProblemResponse('unknown-session', 404);
  await world.show(createFrame('erased', { turn: 't1' }));
  expect(store.getSnapshot()).toMatchObject({ status: 'idle', messages: [], state: undefined });
  world.state = () => createJsonResponse(createView({ messages: [{ role: 'user', text: 'Anew.' }] }));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(getShownLines(store)).toEqual(['user Anew.']);
});

it('the session store shows no data of a session that was erased while its state was loading', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ seq: 5, messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  const late = Promise.withResolvers<Response>();
  world.state = () => late.promise;
  await world.show(createStoredFrame(6, 'turn-ended', { outcome: 'completed' }));
  world.state = () => createProblemResponse('unknown-session', 404);
  await world.show(createFrame('erased', { turn: 't1' }));
  late.resolve(createJsonResponse(createView({ seq: 6, messages: [USER_MESSAGE], pending: [PENDING_CALL] })));
  await settle();
  expect(store.getSnapshot()).toMatchObject({ status: 'idle', messages: [], pending: [], state: undefined });
  world.state = () => createJsonResponse(createView({ seq: 2, messages: [{ role: 'user', text: 'Anew.' }] }));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(getShownLines(store)).toEqual(['user Anew.']);
});

it('the session store keeps its connection if a subscriber leaves and returns, as in the strict mode of React', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  const leave = await subscribeAndSettle(store);
  leave();
  leave();
  const stay = await subscribeAndSettle(store);
  expect(world.asked).toEqual(['GET ', 'GET /events?after=1']);
  stay();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.isWatched).toBe(false);
});

it('the session store shows the whole reply, without duplicates, if it connects in the middle', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ seq: 2, openTurn: 't1', messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  const thought = createFrame('reasoning-delta', { reply: '1.1', text: 'They owe it.' });
  await world.show(
    thought,
    createFrame('text-delta', { reply: '1.1', text: 'I have ' }),
    createFrame('text-delta', { reply: '1.1', text: 'paid.' }),
  );
  expect(store.getSnapshot().messages[1]).toMatchObject({ reasoning: 'They owe it.', text: 'I have paid.' });
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  await world.show(thought, createFrame('text-delta', { reply: '1.1', text: 'I have paid. Now' }));
  expect(store.getSnapshot().messages[1]).toMatchObject({
    reasoning: 'They owe it.',
    text: 'I have paid. Now',
  });
  await world.show(createStoredFrame(3, 'model-replied', { text: 'I have paid. Now go.', toolCalls: [] }));
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I have paid. Now go.']);
});

it('the session store shows a lost connection at once, and an error only once the server is unreachable', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  const { fetch } = world;
  world.fetch = () => Promise.reject(new TypeError('fetch failed'));
  await world.cut();
  expect(store.getSnapshot()).toMatchObject({ isConnected: false, error: undefined });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(store.getSnapshot()).toMatchObject({ isConnected: false, error: { type: 'connection-lost' } });
  world.fetch = fetch;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(store.getSnapshot()).toMatchObject({ isConnected: true, error: undefined });
});

it('the session store returns the same objects for unchanged data', async () => {
  const { world, store } = createServer();
  const asked = createView({ seq: 4, openTurn: 't1', messages: [USER_MESSAGE], pending: [PENDING_CALL] });
  world.state = () => createJsonResponse(asked);
  await subscribeAndSettle(store);
  const before = store.getSnapshot();
  await world.show(createFrame('text-delta', { reply: '1.1', text: 'I ' }));
  const during = store.getSnapshot();
  expect(during.messages[0]).toBe(before.messages[0]);
  expect(during.pending).toBe(before.pending);
  await world.show(createFrame('progress', { call: 'unseen', status: 'half' }));
  expect(store.getSnapshot().messages).toBe(during.messages);
  const parts = [{ type: 'reasoning', text: 'Hm.' }];
  world.state = () =>
    createJsonResponse({
      ...asked,
      seq: 6,
      openTurn: null,
      messages: [USER_MESSAGE, { role: 'assistant', text: 'I pay.', parts }],
      pending: [],
    });
  await world.show(createStoredFrame(5, 'model-replied', { text: 'I pay.', toolCalls: [], parts }));
  const replied = store.getSnapshot().messages;
  await world.show(createStoredFrame(6, 'turn-ended', { outcome: 'completed' }));
  expect(world.asked.at(-1)).toBe('GET ');
  expect(store.getSnapshot()).toMatchObject({ status: 'idle', state: { seq: 6 } });
  expect(store.getSnapshot().messages).toBe(replied);
});

it('the session store does not change the key of a sent message when the message is stored', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ messages: [USER_MESSAGE, PAID_MESSAGE] }));
  await subscribeAndSettle(store);
  void store.send('And more.');
  await world.show(createStoredFrame(2, 'turn-started', { message: 'And more.' }));
  world.state = () =>
    createJsonResponse(
      createView({ seq: 3, messages: [USER_MESSAGE, PAID_MESSAGE, { role: 'user', text: 'And more.' }] }),
    );
  await world.show(createStoredFrame(3, 'turn-ended', { outcome: 'completed' }));
  expect(store.getSnapshot().messages.map(({ key, status }) => [key, status])).toEqual([
    ['0', undefined],
    ['1', undefined],
    ['sent-1', undefined],
  ]);
});

it('the session store shows a reply once if it ended while the connection was lost', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  await world.show(createFrame('text-delta', { reply: '1.1', text: 'I p' }));
  const replied = { role: 'assistant', text: 'I pay.', toolCalls: [{ ...call, status: 'started' }] };
  world.state = () =>
    createJsonResponse(createView({ seq: 3, openTurn: 't1', messages: [USER_MESSAGE, replied] }));
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I pay.']);
});

it('the session store keeps the partial text of a reply if the connection is lost', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  await world.show(createFrame('text-delta', { reply: '1.1', text: 'I p' }));
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant I p streaming']);
});

it('the session store shows a message once if its turn started and ended while the connection was lost', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ messages: [] }));
  await subscribeAndSettle(store);
  let answer = (_: Response): void => {};
  const { fetch } = world;
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  world.fetch = (url, init) => (init.method === 'POST' ? late : fetch(url, init));
  const sent = store.send('Pay.');
  world.state = () =>
    createJsonResponse(
      createView({ seq: 4, messages: [USER_MESSAGE, { role: 'assistant', text: 'Paid.' }] }),
    );
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  answer(createJsonResponse({ turn: 't1', status: 'accepted' }, 202));
  expect(await sent).toBe(true);
  await settle();
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant Paid.']);
});

it('the session store shows a queued message as sent', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't0' }));
  await subscribeAndSettle(store);
  world.post = () => createJsonResponse({ turn: 't1', status: 'queued' }, 202);
  expect(await store.send('Pay.', { whenBusy: 'queue' })).toBe(true);
  world.state = () =>
    createJsonResponse(createView({ seq: 2, openTurn: 't0', waiting: [{ turn: 't1', status: 'queued' }] }));
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(getShownLines(store)).toEqual(['user Pay. sending']);
});

it('the session store keeps the key of a reply that arrives while a message steers the turn', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  await world.show(createFrame('text-delta', { reply: '1.1', text: 'I ' }));
  void store.send('Wait.', { whenBusy: 'steer' });
  const getKeys = () => store.getSnapshot().messages.map(({ key }) => key);
  expect(getKeys()).toEqual(['0', '1', 'sent-1']);
  await world.show(createStoredFrame(2, 'turn-steered', { as: 't2', message: 'Wait.' }));
  expect(getKeys()).toEqual(['0', '1', 'sent-1']);
  await world.show(createStoredFrame(3, 'model-replied', { text: 'I pay.', toolCalls: [], unseen: 1 }));
  expect([getKeys(), getShownLines(store)]).toEqual([
    ['0', '1', 'sent-1'],
    ['user Pay.', 'assistant I pay.', 'user Wait.'],
  ]);
});

it('the session store also accepts a decision by the id of the call', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', pending: [PENDING_CALL] }));
  await subscribeAndSettle(store);
  const deciding = store.decide(PENDING_CALL.call, 'approve');
  expect(store.getSnapshot().pending).toEqual([]);
  expect(await deciding).toBe(true);
  expect(store.getSnapshot().pending).toEqual([]);
});

it('the session store keeps the first decision if a second decision for the call is refused', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ openTurn: 't1', pending: [PENDING_CALL] }));
  await subscribeAndSettle(store);
  let posts = 0;
  world.post = () => {
    posts += 1;
    return posts === 1
      ? createJsonResponse({ turn: 't1', status: 'accepted' }, 202)
      : createProblemResponse('already-answered', 409);
  };
  const { pending } = store.getSnapshot();
  const both = ['approve' as const, 'reject' as const].map((kind) => store.decide(pending[0] ?? '', kind));
  expect(await Promise.all(both)).toEqual([true, false]);
  expect(store.getSnapshot()).toMatchObject({ pending: [], error: { type: 'already-answered' } });
});

it('the session store keeps the pending calls of a state that is older than the stream', async () => {
  const { world, store } = createServer();
  world.state = () =>
    createJsonResponse(
      createView({
        seq: 3,
        openTurn: 't1',
        messages: [USER_MESSAGE, { role: 'assistant', text: '', toolCalls: [call] }],
      }),
    );
  await subscribeAndSettle(store);
  let answer = (_: Response): void => {};
  const { fetch } = world;
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  world.fetch = (url, init) => (url.endsWith('/s1') ? late : fetch(url, init));
  const other = { ...PENDING_CALL, call: 't1.3.1' };
  await world.show(
    createStoredFrame(4, 'tool-call-suspended', { call: 't1.3.0' }),
    createStoredFrame(5, 'tool-call-answered', { call: 't1.3.1' }),
  );
  expect(store.getSnapshot()).toMatchObject({ status: 'running', pending: [] });
  answer(
    createJsonResponse(
      createView({ seq: 4, openTurn: 't1', messages: [USER_MESSAGE], pending: [PENDING_CALL, other] }),
    ),
  );
  await settle();
  expect(store.getSnapshot()).toMatchObject({ status: 'waiting', pending: [PENDING_CALL] });
  expect(getShownLines(store)).toEqual(['user Pay.', 'assistant']);
});

it('the session store keeps the first turn if an earlier request still reports that the session does not exist', async () => {
  const { world, store } = createServer();
  const { fetch } = world;
  let answer = (_: Response): void => {};
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  world.fetch = (url, init) => (init.method === 'GET' ? late : fetch(url, init));
  world.post = () =>
    createStreamResponse([createStoredFrame(2, 'turn-started', { message: 'Pay.' })], 'open');
  await subscribeAndSettle(store);
  expect(await store.send('Pay.')).toBe(true);
  answer(createProblemResponse('unknown-session', 404));
  await settle();
  expect(getShownLines(store)).toEqual(['user Pay.']);
  expect(store.getSnapshot()).toMatchObject({ status: 'running', isConnected: true });
});

it('the session store closes the stream of the first turn when the last subscriber leaves', async () => {
  const { world, store } = createServer();
  const leave = await subscribeAndSettle(store);
  let signal: AbortSignal | undefined;
  const { fetch } = world;
  world.fetch = (url, init) => {
    if (init.method === 'POST') signal = init.signal;
    return fetch(url, init);
  };
  world.post = () =>
    createStreamResponse([createStoredFrame(2, 'turn-started', { message: 'Pay.' })], 'open');
  expect(await store.send('Pay.')).toBe(true);
  leave();
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signal?.aborted).toBe(true);
});

it('the session store shows the same input of a call live and after a reload', async () => {
  const { world, store } = createServer();
  world.state = () =>
    createJsonResponse(
      createView({
        messages: [
          USER_MESSAGE,
          { role: 'assistant', text: '', toolCalls: [{ ...call, status: 'ended', result: 'Paid.' }] },
        ],
      }),
    );
  await subscribeAndSettle(store);
  expect(store.getSnapshot().messages[1]?.calls).toMatchObject([
    { input: { n: 1 }, status: 'ended', result: 'Paid.' },
  ]);
});

it('the session store shows messages in the order of the state', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createStoredFrame(3, 'model-replied', { text: 'I pay.', toolCalls: [call] }),
    createStoredFrame(4, 'message-sent', {
      call: 't1.3.0.1.0',
      under: 't1.3.0',
      frame: 't1.3.0',
      tool: 'say',
      text: 'From inside.',
    }),
    createStoredFrame(5, 'message-sent', { call: 't1.3.0', text: 'Of an old journal.' }),
    createStoredFrame(6, 'tool-call-ended', { call: 't1.3.0', result: { type: 'text', content: 'Paid.' } }),
    createFrame('text-delta', { reply: '2.1', text: 'Do' }),
    createStoredFrame(7, 'turn-steered', { as: 't2', message: 'Wait.' }),
    createFrame('text-delta', { reply: '2.1', text: 'ne' }),
  );
  expect(getShownLines(store)).toEqual([
    'user Pay.',
    'assistant I pay.',
    'assistant From inside.',
    'assistant Done streaming',
    'user Wait.',
  ]);
  await world.show(
    createStoredFrame(8, 'model-replied', { text: 'Done.', toolCalls: [], unseen: 1 }),
    createStoredFrame(9, 'answer-rejected', { problems: ['total: is missing'] }),
  );
  expect(getShownLines(store)).toEqual([
    'user Pay.',
    'assistant I pay.',
    'assistant From inside.',
    'assistant Done.',
    'user Wait.',
    'user total: is missing',
  ]);
  expect(store.getSnapshot().messages.at(-1)?.by).toBe('loop');
});

it('the session store shows a truncated reply and an unanswered message before the state contains them', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView());
  await subscribeAndSettle(store);
  const UNANSWERED = { role: 'user', text: '[The last message was not answered.]', by: 'loop' };
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.' }),
    createFrame('text-delta', { reply: '1.1', text: 'I ' }),
    createStoredFrame(3, 'model-replied', { text: 'I ', toolCalls: [], finish: 'cut-off' }),
    createStoredFrame(4, 'turn-ended', { outcome: 'cancelled' }),
    createStoredFrame(5, 'turn-started', { message: 'Well?' }),
    createStoredFrame(6, 'turn-ended', { outcome: 'failed' }),
    createStoredFrame(7, 'turn-started', { message: 'Now?' }),
  );
  const messages = [
    { role: 'user', text: 'Pay.' },
    { role: 'assistant', text: 'I ', cutOff: true },
    { role: 'user', text: 'Well?' },
    UNANSWERED,
    { role: 'user', text: 'Now?' },
  ];
  expect(store.getSnapshot().messages.map(({ key: _, ...message }) => message)).toEqual(messages);
  world.state = () => createJsonResponse(createView({ seq: 8, messages }));
  const before = store.getSnapshot().messages;
  await world.show(createStoredFrame(8, 'turn-ended', { outcome: 'failed' }));
  expect(store.getSnapshot().messages).toBe(before);
});

it('the session store retries the last message without showing it twice', async () => {
  const { world, store } = createServer();
  world.state = () => createJsonResponse(createView({ messages: [USER_MESSAGE] }));
  await subscribeAndSettle(store);
  expect(await store.retry()).toBe(true);
  expect(world.asked).toContain('POST /retry');
  await world.show(
    createStoredFrame(2, 'turn-started', { message: 'Pay.', retries: 't0' }),
    createStoredFrame(3, 'turn-ended', { outcome: 'failed' }),
    createStoredFrame(4, 'turn-started', { message: 'Pay.', retries: 't1', line: 'Answer now.' }),
  );
  expect(getShownLines(store)).toEqual(['user Pay.', 'user Answer now.']);
  world.post = () => createProblemResponse('nothing-to-retry', 409);
  expect(await store.retry()).toBe(false);
  expect(store.getSnapshot().error).toMatchObject({ type: 'nothing-to-retry' });
});
