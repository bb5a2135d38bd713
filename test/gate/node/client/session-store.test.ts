import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient, type FetchInit } from '../../../../src/client/entry.ts';
import { createSessionStore, type SessionStore } from '../../../../src/client/react/entry.ts';
import { frame, json, problem, stored, stream } from './fake-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A server of one session, in the hands of a test. */
function server() {
  const asked: string[] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const world = {
    asked,
    state: (): Response => problem('unknown-session', 404),
    post: (_path: string, _body: string): Response => json({ turn: 't1', status: 'accepted' }, 202),
    /** Sends frames to whoever watches. */
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

const view = (more: object = {}) => ({
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
const USER = { role: 'user', text: 'Pay.' };
const call = { id: 't1.3.0', name: 'pay', providerId: 'p', input: '{"n":1}' };
const PENDING = {
  call: 't1.3.0',
  tool: 'pay',
  input: { n: 1 },
  for: 'decision',
  links: { approvals: '/a/t1.3.0' },
};

const look = async (store: SessionStore) => {
  const leave = store.subscribe(() => {});
  await settle();
  return leave;
};

/** What is shown, in short. */
const shown = (store: SessionStore) =>
  store
    .getSnapshot()
    .messages.map(({ role, text, status }) => [role, text, status].filter(Boolean).join(' '));

it('asks nothing before somebody looks, and shows the state then', async () => {
  const { world, store } = server();
  world.state = () => json(view({ messages: [USER, { role: 'assistant', text: 'Paid.' }] }));
  expect(store.getSnapshot()).toMatchObject({ status: 'loading', isConnected: false, messages: [] });
  expect(world.asked).toEqual([]);
  await look(store);
  expect(store.getSnapshot()).toMatchObject({
    status: 'idle',
    isConnected: true,
    messages: [
      { key: '0', ...USER },
      { key: '1', text: 'Paid.' },
    ],
  });
  expect(world.asked).toEqual(['GET ', 'GET /events?after=1']);
});

it('shows a turn as it happens: its message, its text, its calls and what comes of them', async () => {
  const { world, store } = server();
  world.state = () => json(view());
  await look(store);
  await world.show(
    stored(2, 'turn-started', { message: 'Pay.' }),
    frame('reasoning-delta', { reply: '1.1', text: 'Hm.' }),
    frame('text-delta', { reply: '1.1', text: 'I ' }),
  );
  expect(store.getSnapshot().status).toBe('running');
  await world.show(
    frame('text-delta', { reply: '1.1', text: 'pay' }),
    frame('text-delta', { reply: '1.1', frame: 'inner', text: 'unseen' }),
  );
  expect(shown(store)).toEqual(['user Pay.', 'assistant I pay streaming']);
  expect(store.getSnapshot().messages[1]?.reasoning).toBe('Hm.');
  await world.show(frame('reply-restarted', { reply: '1.1' }));
  expect(shown(store)).toEqual(['user Pay.']);
  const parts = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'I pay.' },
  ];
  await world.show(
    frame('text-delta', { reply: '1.2', text: 'I pay.' }),
    stored(3, 'model-replied', { text: 'I pay.', toolCalls: [call], parts }),
  );
  expect(store.getSnapshot().messages[1]).toEqual({
    key: '1',
    role: 'assistant',
    text: 'I pay.',
    reasoning: 'Hm.',
    calls: [{ id: 't1.3.0', name: 'pay', input: { n: 1 }, status: 'asked' }],
  });
  await world.show(
    stored(4, 'tool-call-started', { call: 't1.3.0' }),
    frame('progress', { call: 't1.3.0', status: 'half' }),
    stored(5, 'message-sent', { call: 't1.3.0', tool: 'pay', text: 'Wait.' }),
  );
  expect(store.getSnapshot().messages[1]?.calls?.[0]).toMatchObject({ status: 'started', progress: 'half' });
  const file = { type: 'file', id: 'ab', mediaType: 'image/png', size: 3 };
  await world.show(
    stored(6, 'tool-call-ended', {
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
  world.state = () => json(view({ seq: 8, messages: [USER, { role: 'assistant', text: 'All of it.' }] }));
  await world.show(
    stored(7, 'model-replied', { text: 'Paid.', toolCalls: [] }),
    stored(8, 'turn-ended', { outcome: 'completed' }),
  );
  // Only the end of the turn was worth a look at the state.
  expect(world.asked.slice(asked)).toEqual(['GET ']);
  expect(shown(store)).toEqual(['user Pay.', 'assistant All of it.']);
  expect(store.getSnapshot().status).toBe('idle');
});

it('shows a message at once, and takes it for that of the conversation when its turn begins', async () => {
  const { world, store } = server();
  await look(store);
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
  world.state = () => json(view());
  expect(await sent).toBe(true);
  await settle();
  await world.show(stored(2, 'turn-started', { message: 'Pay.' }));
  expect(shown(store)).toEqual(['user Pay.']);
});

it('shows the first turn of a session by its own stream, and follows the session then', async () => {
  const { world, store } = server();
  await look(store);
  const frames = [
    stored(2, 'turn-started', { message: 'Pay.' }),
    frame('text-delta', { reply: '1.1', text: 'Pai' }),
  ];
  world.post = () => stream(frames, 'open');
  expect(await store.send('Pay.')).toBe(true);
  await settle();
  expect(shown(store)).toEqual(['user Pay.', 'assistant Pai streaming']);
  expect(store.getSnapshot().status).toBe('running');
  await vi.advanceTimersByTimeAsync(20_000);
  // While that stream shows it, nothing else is asked.
  expect(world.asked).toEqual(['GET ', 'POST /messages?whenBusy=reject']);
});

it('follows the session after the stream of its first message', async () => {
  const { world, store } = server();
  await look(store);
  world.post = () => {
    world.state = () => json(view({ seq: 4, messages: [USER, { role: 'assistant', text: 'Paid.' }] }));
    return stream([
      stored(2, 'turn-started', { message: 'Pay.' }),
      stored(3, 'model-replied', { text: 'Paid.', toolCalls: [] }),
      stored(4, 'turn-ended', { outcome: 'completed' }),
      frame('answer', { turn: 't1', outcome: 'completed', text: 'Paid.' }),
    ]);
  };
  await store.send('Pay.');
  await settle();
  expect(shown(store)).toEqual(['user Pay.', 'assistant Paid.']);
  expect(store.getSnapshot().status).toBe('idle');
  expect(world.asked.at(-1)).toBe('GET /events?after=4');
});

it('shows a message once, also when its turn begins before the request is answered', async () => {
  const { world, store } = server();
  world.state = () => json(view());
  await look(store);
  const sent = store.send('Pay.');
  await world.show(stored(2, 'turn-started', { message: 'Pay.' }));
  expect(shown(store)).toEqual(['user Pay.']);
  await sent;
  expect(shown(store)).toEqual(['user Pay.']);
});

it('takes a message back that was refused, and says why', async () => {
  const { world, store } = server();
  world.state = () => json(view());
  world.post = () => problem('session-busy', 409);
  await look(store);
  expect(await store.send('Pay.')).toBe(false);
  expect(store.getSnapshot()).toMatchObject({
    messages: [],
    error: { type: 'session-busy', message: 'It is session-busy.' },
  });
  world.post = () => json({ turn: 't1', status: 'accepted' }, 202);
  await store.send('Pay.');
  expect(store.getSnapshot().error).toBeUndefined();
});

it('shows what waits for somebody, and takes a decision once', async () => {
  const { world, store } = server();
  const waiting = view({
    seq: 4,
    openTurn: 't1',
    messages: [
      USER,
      { role: 'assistant', text: '', toolCalls: [{ id: 't1.3.0', name: 'pay', input: {}, status: 'asked' }] },
    ],
    pending: [PENDING],
  });
  world.state = () => json(waiting);
  await look(store);
  expect(store.getSnapshot()).toMatchObject({ status: 'waiting', pending: [PENDING] });
  expect(store.getSnapshot().messages[1]?.calls?.[0]?.status).toBe('waiting');
  const bodies: string[] = [];
  world.post = (path, body) => {
    bodies.push(`${path} ${body}`);
    return json({ turn: 't1', status: 'accepted' }, 202);
  };
  const deciding = store.decide(store.getSnapshot().pending[0] ?? '', 'approve');
  expect(store.getSnapshot()).toMatchObject({ status: 'running', pending: [] });
  expect(await deciding).toBe(true);
  expect(bodies).toEqual(['/answers?after=3 {"answers":[{"call":"t1.3.0","decision":"approve"}]}']);
  await world.show(stored(5, 'tool-call-answered', { call: 't1.3.0' }));
  expect(store.getSnapshot().messages[1]?.calls?.[0]?.status).toBe('started');
  world.post = () => problem('already-answered', 409);
  expect(await store.decide(PENDING.call, 'reject')).toBe(false);
});

it('shows a decision again that was not taken', async () => {
  const { world, store } = server();
  world.state = () => json(view({ openTurn: 't1', pending: [PENDING] }));
  world.post = () => problem('role-required', 403);
  await look(store);
  await store.decide(store.getSnapshot().pending[0] ?? '', 'approve');
  expect(store.getSnapshot()).toMatchObject({
    status: 'waiting',
    pending: [PENDING],
    error: { type: 'role-required' },
  });
});

it('stops what runs', async () => {
  const { world, store } = server();
  world.state = () => json(view({ openTurn: 't1' }));
  await look(store);
  expect(await store.stop()).toBe(true);
  expect(world.asked.at(-1)).toBe('POST /cancel');
});

it('goes on after a lost connection behind what it has seen', async () => {
  const { world, store } = server();
  world.state = () => json(view());
  await look(store);
  await world.show(
    stored(2, 'turn-started', { message: 'Pay.' }),
    frame('text-delta', { reply: '1.1', text: 'I ' }),
  );
  await world.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(world.isWatched).toBe(true);
  await world.show(frame('text-delta', { reply: '1.1', text: 'it.' }));
  expect(shown(store)).toEqual(['user Pay.', 'assistant I  … it. streaming']);
  await world.show(
    stored(2, 'turn-started', { message: 'Pay.' }),
    stored(3, 'model-replied', { text: 'I pay.', toolCalls: [] }),
  );
  expect(shown(store)).toEqual(['user Pay.', 'assistant I pay.']);
});

it('tells that the server cannot be reached, and comes again for as long as somebody looks', async () => {
  const { world, store } = server();
  world.state = () => json(view({ messages: [USER] }));
  const leave = await look(store);
  const { fetch } = world;
  world.fetch = async () => {
    throw new TypeError('fetch failed');
  };
  await world.cut();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.getSnapshot()).toMatchObject({
    isConnected: false,
    error: { type: 'connection-lost' },
    messages: [USER],
  });
  world.fetch = fetch;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.getSnapshot()).toMatchObject({ isConnected: true, error: undefined });
  leave();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([world.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
});

it('shows nothing of a session that was erased, and what begins under its name', async () => {
  const { world, store } = server();
  world.state = () => json(view({ messages: [USER] }));
  await look(store);
  world.state = () => problem('unknown-session', 404);
  await world.show(frame('erased', { turn: 't1' }));
  expect(store.getSnapshot()).toMatchObject({ status: 'idle', messages: [], state: undefined });
  world.state = () => json(view({ messages: [{ role: 'user', text: 'Anew.' }] }));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(shown(store)).toEqual(['user Anew.']);
});

it('keeps its connection for who leaves and comes at once, as React does when it is strict', async () => {
  const { world, store } = server();
  world.state = () => json(view());
  const leave = await look(store);
  leave();
  leave();
  const stay = await look(store);
  expect(world.asked).toEqual(['GET ', 'GET /events?after=1']);
  stay();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.isWatched).toBe(false);
});
