/** Streams that resume after a client's last event, and the stream of one turn. */
import { describe, expect, it } from 'vitest';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  post,
  readAllEvents,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  type SentEvent,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createManualSession, deliverToHolders } from './time.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const addReply = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

const getIds = (events: readonly SentEvent[]): number[] => events.flatMap(({ id }) => id ?? []);

/** Returns the sequence numbers of a turn's events after the given one. */
const listSeqs = async (session: string, after = 0): Promise<number[]> =>
  (await readJournal(session))
    .filter(({ turn }) => turn !== undefined)
    .map(({ seq }) => Number(seq))
    .filter((seq) => seq > after);

/** Both ways to specify the event to resume after. */
const AFTER_FORMS = [
  ['?after=', (after: unknown) => ({ query: `?after=${after}`, headers: SSE_HEADERS })],
  [
    'Last-Event-ID',
    (after: unknown) => ({ query: '', headers: { ...SSE_HEADERS, 'last-event-id': String(after) } }),
  ],
] as const;

describe.each(AFTER_FORMS)('a stream with %s', (_, going) => {
  it('shows only the new events of a message that is sent again under its key', async () => {
    const session = createSessionPath();
    const body = { message: registerScript(addReply, 'Three.').message() };
    const key = { 'idempotency-key': 'k' };
    const first = await readAllEvents(await post(session, body, { headers: { ...key, ...SSE_HEADERS } }));
    const after = getIds(first)[2] ?? 0;
    const { query, headers } = going(after);
    const again = await answer(`${session}/messages${query}`, body, { headers: { ...key, ...headers } });
    const events = await readAllEvents(again);
    expect(getIds(events)).toEqual(await listSeqs(session, after));
    expect(events.at(-1)).toEqual(first.at(-1));
  });

  it('shows the later events of a new message', async () => {
    const session = createSessionPath();
    const { query, headers } = going(3);
    const body = { message: registerScript(addReply, 'Three.').message() };
    const events = await readAllEvents(await answer(`${session}/messages${query}`, body, { headers }));
    expect(getIds(events)).toEqual(await listSeqs(session, 3));
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { text: 'Three.' } });
  });

  it.each([
    [
      'approvals',
      'pay',
      (call: string, path: string) => [`${path}/approvals/${call}`, { decision: 'approve' }],
    ],
    ['results', 'look_up', (call: string, path: string) => [`${path}/results/${call}`, { text: 'Here.' }]],
    [
      'answers',
      'pay',
      (call: string, path: string) => [`${path}/answers`, { answers: [{ call, decision: 'approve' }] }],
    ],
  ] as const)('shows only the new events of POST %s', async (_route, tool, asked) => {
    const wait = await startWaitingTurn([tool]);
    const [path, body] = asked(String(wait.pending[0]?.call), wait.session);
    const after = Number((await readJournal(wait.session)).at(-1)?.seq);
    const { query, headers } = going(after);
    const events = await readAllEvents(await answer(`${path}${query}`, body, { headers }));
    expect(getIds(events)[0]).toBeGreaterThan(after);
    expect(getIds(events)).toEqual(await listSeqs(wait.session, after));
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { outcome: 'completed' } });
  });

  it('shows the remaining events of one turn', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(
      await post(session, { message: registerScript(addReply, 'Three.').message() }),
    );
    const { query, headers } = going(4);
    const events = await readAllEvents(await send(`${session}/turns/${turn}${query}`, { headers }));
    expect(getIds(events)).toEqual(await listSeqs(session, 4));
    const over = going(9_999);
    const nothing = await readAllEvents(
      await send(`${session}/turns/${turn}${over.query}`, { headers: over.headers }),
    );
    expect(nothing.map(({ event }) => event)).toEqual(['answer']);
  });
});

describe('the sequence number to resume after', () => {
  it.each(['-1', '1.5', 'x', '1e3', '12345678901234567890'])('cannot be %j', async (value) => {
    const wait = await startWaitingTurn(['pay']);
    const query = `?after=${encodeURIComponent(value)}`;
    const bad = [
      await answer(
        `${wait.session}/answers${query}`,
        { answers: [{ call: String(wait.pending[0]?.call), decision: 'approve' }] },
        { headers: SSE_HEADERS },
      ),
      await send(`${wait.session}/turns/${wait.turn}${query}`, { headers: SSE_HEADERS }),
    ];
    for (const response of bad) {
      expect([response.status, await readJson(response)]).toEqual([
        400,
        createProblem('invalid-query', 400, 'after must be the sequence number of an event, such as 12.'),
      ]);
    }
    const header = await send(`${wait.session}/turns/${wait.turn}`, {
      headers: { ...SSE_HEADERS, 'last-event-id': value },
    });
    expect((await readJson(header)).title).toBe('invalid header');
    // A request that cannot be streamed has no effect: the call is still pending, and no reply was made.
    expect((await answer(getOnlyLink(wait), { decision: 'approve' })).status).toBe(200);
    const session = createSessionPath();
    const body = { message: registerScript('Never.').message() };
    expect((await answer(`${session}/messages${query}`, body, { headers: SSE_HEADERS })).status).toBe(400);
    expect((await send(session)).status).toBe(404);
  });

  it('is read from the header if the request contains two', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(await post(session, { message: registerScript('Done.').message() }));
    const headers = { ...SSE_HEADERS, 'last-event-id': '9999' };
    const events = await readAllEvents(await send(`${session}/turns/${turn}?after=0`, { headers }));
    expect(events.map(({ event }) => event)).toEqual(['answer']);
  });
});

describe('the stream of a turn', () => {
  const openStream = (session: string, turn: unknown) =>
    send(`${session}/turns/${turn}`, { headers: SSE_HEADERS });

  it('contains all events and the answer if the turn has ended', async () => {
    const session = createSessionPath();
    const answered = await readJson(
      await post(session, { message: registerScript(addReply, 'Three.').message() }),
    );
    const response = await openStream(session, answered.turn);
    expect(response.status).toBe(200);
    const events = await readAllEvents(response);
    expect(getIds(events)).toEqual(await listSeqs(session));
    expect(events.at(-1)).toEqual({ event: 'answer', data: answered });
  });

  it('continues until a running turn ends', async () => {
    const session = createSessionPath();
    const slow = createHeldReply('Three.');
    const running = post(session, { message: registerScript(addReply, slow.reply).message() });
    await slow.asked();
    const { openTurn } = await readJson(await send(session));
    const events = readSentEvents(await openStream(session, openTurn));
    const before = await readUntil(events, 'tool-call-ended');
    slow.release();
    const after = await readUntil(events);
    expect(after.at(-1)?.data).toEqual(await readJson(await running));
    expect(getIds([...before, ...after])).toEqual(await listSeqs(session));
  });

  it('ends with the pending calls if the turn waits', async () => {
    const wait = await startWaitingTurn(['pay']);
    const events = await readAllEvents(await openStream(wait.session, wait.turn));
    const last = events.at(-1);
    expect([last?.event, last?.data.pending]).toEqual(['suspended', wait.pending]);
    expect(getOnlyLink(wait)).toContain('/approvals/');
  });

  it('reports the start of the turn if it has not begun yet', async () => {
    const session = createSessionPath();
    const slow = createHeldReply('One.');
    const { message } = registerScript(slow.reply, 'Two.');
    const first = post(session, { message: message() });
    await slow.asked();
    const queued = await answer(
      `${session}/messages?whenBusy=queue`,
      { message: 'Two?' },
      { headers: { prefer: 'respond-async' } },
    );
    const { turn, status } = await readJson(queued);
    expect(status).toBe('queued');
    const events = readAllEvents(await openStream(session, turn));
    slow.release();
    await first;
    expect((await events).at(-1)).toMatchObject({ event: 'answer', data: { turn, text: 'Two.' } });
  });

  it('waits for the time of a scheduled turn, and reports if the turn is cancelled', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(await post(session, { message: 'Later', delaySeconds: 3600 }));
    const events = readAllEvents(await openStream(session, turn));
    await send(`${session}/cancel?turn=${turn}`, { method: 'POST' });
    expect((await events).at(-1)).toMatchObject({ event: 'answer', data: { turn, outcome: 'cancelled' } });
  });

  it('redirects to the turn that received the message if the message steered', async () => {
    const session = createManualSession();
    const slow = createHeldReply({ calls: [{ name: 'record', input: { note: 'x' } }] });
    const running = post(session, { message: registerScript(slow.reply, 'Done.').message() });
    await slow.asked();
    await deliverToHolders();
    const steered = await readJson(
      await answer(`${session}/messages?whenBusy=steer`, { message: 'And this.' }),
    );
    slow.release();
    const { turn } = await readJson(await running);
    const response = await send(`${session}/turns/${steered.turn}`, {
      headers: SSE_HEADERS,
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${session}/turns/${turn}`);
    expect(await readJson(response)).toMatchObject({ status: 'steered', into: turn });
  });

  it('is replaced by a problem if the turn is unknown', async () => {
    const session = createSessionPath();
    expect((await readJson(await openStream(session, 'x'))).title).toBe('unknown session');
    await post(session, { message: registerScript('Done.').message() });
    const response = await openStream(session, 'nobodys');
    expect([response.status, (await readJson(response)).title]).toEqual([404, 'unknown turn']);
  });

  it('is not a stream for HEAD, or for clients that accept JSON', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(await post(session, { message: registerScript('Done.').message() }));
    const path = `${session}/turns/${turn}`;
    const head = await send(path, { method: 'HEAD', headers: SSE_HEADERS });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
    expect(await readJson(await send(path))).toMatchObject({ turn, text: 'Done.' });
    const both = await send(path, { headers: { accept: 'application/json, text/event-stream;q=0.5' } });
    expect(both.headers.get('content-type')).toBe('application/json');
  });

  it('ends by reporting the erasure if its session is erased', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(await post(session, { message: 'Later', delaySeconds: 3600 }));
    const events = readAllEvents(await openStream(session, turn));
    expect((await send(session, { method: 'DELETE' })).status).toBe(204);
    expect(await events).toMatchObject([{ event: 'erased', data: { turn } }]);
  });
});
