/** Messages for a session with an open turn: refused, queued, shown to the running turn, or scheduled. */
import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import {
  createHeldReply,
  type HeldReply,
  registerScript,
  type ScriptedTurn,
} from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionId,
  post,
  readAllEvents,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
} from './client.ts';
import { advanceClock, createManualSession } from './time.ts';
import { answer, createProblem, startWaitingTurn } from './waiting.ts';

type Headers = Readonly<Record<string, string>>;

const ASYNC_HEADERS = { prefer: 'respond-async' };
const createKeyHeader = (key: string): Headers => ({ 'idempotency-key': key });

const say = (session: string, query: string, body: unknown, headers: Headers = {}): Promise<Response> =>
  send(`${session}/messages?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

interface BusySession {
  readonly session: string;
  readonly first: HeldReply;
  readonly model: ScriptedTurn['model'];
  /** The id of the open turn. */
  readonly turn: string;
  /** The response to the open turn's message. */
  readonly answering: Promise<Response>;
}

/** The call's start is stored before it runs, and the response contains the messages posted meanwhile. */
const RECORD_REPLY: ScriptedReply = { calls: [{ name: 'record', input: { note: 'red' } }] };

/** Starts a session whose model works on the first message, and then returns these replies. */
const startBusy = (...replies: readonly string[]): Promise<BusySession> => startBusyWith('First.', replies);

async function startBusyWith(reply: ScriptedReply, replies: readonly string[]): Promise<BusySession> {
  const session = createManualSession();
  const first = createHeldReply(reply);
  const { message, model } = registerScript(first.reply, ...replies);
  const answering = post(session, { message: message('One') });
  await first.asked();
  const { openTurn } = await readJson(await send(session));
  return { session, first, model, turn: String(openTurn), answering };
}

const listStartedMessages = async (session: string): Promise<readonly unknown[]> =>
  (await readJournal(session)).filter(({ type }) => type === 'turn-started').map(({ message }) => message);

describe('a message for a busy session', () => {
  it.each(['', 'whenBusy=reject'])('is refused with the query "%s"', async (query) => {
    const { session, first, turn, answering } = await startBusy();
    const response = await say(session, query, { message: 'Two' });
    expect([response.status, response.headers.has('retry-after')]).toEqual([409, true]);
    const detail = `The session is busy with turn ${turn}. Send the message again when it has ended (GET ${session} shows it), or now with ?whenBusy=queue, to wait, or ?whenBusy=steer, to be read by that turn.`;
    expect(await readJson(response)).toEqual(createProblem('session-busy', 409, detail, { turn }));
    first.release();
    await (await answering).text();
  });

  it.each(['later', 'QUEUE', '', 'queue '])('cannot have ?whenBusy=%s', async (value) => {
    const response = await say(createSessionPath(), `whenBusy=${encodeURIComponent(value)}`, {
      message: 'Two',
    });
    const detail = 'whenBusy must be one of reject, queue, steer.';
    expect(await readJson(response)).toEqual(createProblem('invalid-query', 400, detail));
  });

  it.each(['queue', 'steer'])(
    'is an ordinary message with ?whenBusy=%s if the session is free',
    async (how) => {
      const response = await say(createSessionPath(), `whenBusy=${how}`, {
        message: registerScript('Done.').message(),
      });
      expect([response.status, (await readJson(response)).text]).toEqual([200, 'Done.']);
    },
  );
});

describe('a message that queues', () => {
  it('waits for the answer of its own turn, as JSON or as a stream, in order', async () => {
    const { session, first, model, turn, answering } = await startBusy('Second.', 'Third.');
    const second = say(session, 'whenBusy=queue', { message: 'Two' });
    await expect.poll(async () => (await readJson(await send(session))).waiting).toHaveLength(1);
    const third = await say(session, 'whenBusy=queue', { message: 'Three' }, SSE_HEADERS);
    const events = readAllEvents(third);
    await expect.poll(async () => (await readJson(await send(session))).waiting).toHaveLength(2);
    first.release();
    expect(await readJson(await answering)).toMatchObject({ turn, text: 'First.' });
    const answer = await second;
    expect([answer.status, (await readJson(answer)).text]).toEqual([200, 'Second.']);
    const shown = await events;
    expect(shown.map(({ event }) => event)).toEqual([
      'turn-started',
      'model-replied',
      'turn-ended',
      'answer',
    ]);
    expect(shown.at(-1)?.data).toMatchObject({ text: 'Third.' });
    expect(model.requests.map(({ messages }) => messages.at(-1)?.text?.split(' ')[0])).toEqual([
      'One',
      'Two',
      'Three',
    ]);
    expect(await readJson(await send(session))).toMatchObject({ openTurn: null, waiting: [] });
  });

  it('returns 202 with the address of its answer if its client does not want to wait', async () => {
    const { session, first, answering } = await startBusy('Second.');
    const response = await say(session, 'whenBusy=queue', { message: 'Two' }, ASYNC_HEADERS);
    const { turn, ...more } = await readJson(response);
    expect(more).toEqual({ session: getSessionId(session), agent: 'scripted', status: 'queued' });
    expect([
      response.status,
      response.headers.get('location'),
      response.headers.get('preference-applied'),
    ]).toEqual([202, `${session}/turns/${turn}`, 'respond-async']);
    expect((await readJson(await send(session))).waiting).toEqual([{ turn, status: 'queued' }]);
    first.release();
    await (await answering).text();
    await expect.poll(async () => (await send(`${session}/turns/${turn}`)).status).toBe(200);
    expect(await readJson(await send(`${session}/turns/${turn}`))).toMatchObject({ turn, text: 'Second.' });
  });

  it('is queued only once if it is sent repeatedly under its key, and each request receives the response', async () => {
    const { session, first, answering } = await startBusy('Second.');
    const queueSecond = (headers: Headers) =>
      say(session, 'whenBusy=queue', { message: 'Two' }, { ...createKeyHeader('k2'), ...headers });
    const queued = await readJson(await queueSecond(ASYNC_HEADERS));
    const again = await queueSecond(ASYNC_HEADERS);
    expect([again.status, await readJson(again)]).toEqual([202, queued]);
    const joining = queueSecond({});
    first.release();
    await (await answering).text();
    expect(await readJson(await joining)).toMatchObject({ turn: queued.turn, text: 'Second.' });
    expect(await readJson(await queueSecond({}))).toMatchObject({ turn: queued.turn, text: 'Second.' });
    expect((await listStartedMessages(session)).length).toBe(2);
  });

  it('waits behind a turn with pending calls', async () => {
    const { session, links } = await startWaitingTurn(['pay'], { replies: ['Paid.', 'Second.'] });
    const response = await say(session, 'whenBusy=queue', { message: 'Two' }, ASYNC_HEADERS);
    expect([response.status, (await readJson(response)).status]).toEqual([202, 'queued']);
    const decided = await send(links[0] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(await readJson(decided)).toMatchObject({ outcome: 'completed', text: 'Paid.' });
    await expect
      .poll(async () => (await readJson(await send(session))).turn)
      .toMatchObject({ text: 'Second.' });
  });

  it('returns immediately with the pending calls of the previous turn, and its answer has a URL', async () => {
    const { session, links, pending } = await startWaitingTurn(['pay'], { replies: ['Paid.', 'Second.'] });
    const response = await say(session, 'whenBusy=queue', { message: 'Two' }, createKeyHeader('k2'));
    const { turn, ...more } = await readJson(response);
    const queued = { session: getSessionId(session), agent: 'clerk', status: 'queued', pending };
    expect([response.status, response.headers.get('location'), more]).toEqual([
      202,
      `${session}/turns/${turn}`,
      queued,
    ]);
    const again = await say(session, 'whenBusy=queue', { message: 'Two' }, createKeyHeader('k2'));
    expect([again.status, await readJson(again)]).toEqual([202, { turn, ...queued }]);
    await answer(links[0] ?? '', { decision: 'approve' });
    const path = `${session}/turns/${turn}`;
    await expect.poll(async () => (await send(path)).status).toBe(200);
    expect(await readJson(await send(path))).toMatchObject({ text: 'Second.' });
  });

  it('returns as soon as the previous turn begins to wait', async () => {
    const session = createManualSession('clerk');
    const first = createHeldReply('First.');
    const calls = [{ name: 'pay', input: { to: crypto.randomUUID(), amount: 1 } }];
    const { message } = registerScript(first.reply, { calls }, 'Paid.');
    const answering = post(session, { message: message('One') });
    await first.asked();
    const second = await readJson(await say(session, 'whenBusy=queue', { message: 'Two' }, ASYNC_HEADERS));
    const third = say(session, 'whenBusy=queue', { message: 'Three' });
    await expect.poll(async () => (await readJson(await send(session))).waiting).toHaveLength(2);
    first.release();
    await (await answering).text();
    const response = await third;
    const { pending } = await readJson(await send(`${session}/turns/${second.turn}`));
    expect(pending).toHaveLength(1);
    expect([response.status, await readJson(response)]).toMatchObject([202, { status: 'queued', pending }]);
  });

  it('declines the pending calls of the open turn if it is sent with pending=decline', async () => {
    const { session, turn } = await startWaitingTurn(['pay'], { replies: ['Second.'] });
    const response = await say(session, 'whenBusy=queue&pending=decline', { message: 'Two' });
    expect([response.status, (await readJson(response)).text]).toEqual([200, 'Second.']);
    const first = (await readJournal(session)).find((one) => one.type === 'turn-ended' && one.turn === turn);
    expect(first).toMatchObject({ outcome: 'cancelled' });
  });

  it('is answered after the messages that waited first, if it is sent only with pending=decline', async () => {
    const { session } = await startWaitingTurn(['pay'], { replies: ['Second.', 'Third.'] });
    await (await say(session, 'whenBusy=queue', { message: 'Two' }, ASYNC_HEADERS)).text();
    const response = await say(session, 'pending=decline', { message: 'Three' });
    expect([response.status, (await readJson(response)).text]).toEqual([200, 'Third.']);
    const ended = (await readJournal(session)).filter(({ type }) => type === 'turn-ended');
    expect(ended.map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed', 'completed']);
    expect((await listStartedMessages(session)).slice(1)).toEqual(['Two', 'Three']);
  });

  it('queues behind a running turn, even with pending=decline', async () => {
    const { session, first, answering } = await startBusy('Second.');
    const response = await say(session, 'pending=decline&whenBusy=queue', { message: 'Two' }, ASYNC_HEADERS);
    expect((await readJson(response)).status).toBe('queued');
    const refused = await say(session, 'pending=decline', { message: 'Three' });
    expect(refused.status).toBe(409);
    first.release();
    await (await answering).text();
    await expect.poll(() => listStartedMessages(session)).toHaveLength(2);
  });

  it('is refused if a hundred messages wait', async () => {
    const { session, first, answering, model } = await startBusy();
    const all = Array.from({ length: 100 }, (_, i) =>
      say(session, 'whenBusy=queue', { message: `${i}` }, ASYNC_HEADERS),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([202]));
    const response = await say(session, 'whenBusy=queue', { message: 'One too many' });
    const detail =
      'No more messages can wait in this session. The limit is 100 messages or 10000000 bytes. Send the message again when some have been answered.';
    expect([response.headers.get('retry-after'), await readJson(response)]).toEqual([
      '30',
      createProblem('queue-full', 429, detail),
    ]);
    first.release();
    await (await answering).text();
    // The rest of the script is empty, so each turn fails, and the next one starts.
    await expect.poll(() => model.requests.length, { timeout: 15_000 }).toBeGreaterThan(100);
  }, 30_000);
});

describe('a message that steers', () => {
  it('returns 202, is shown to the model of the open turn, and links to its answer', async () => {
    const { session, first, model, turn, answering } = await startBusyWith(RECORD_REPLY, ['In blue.']);
    const response = await say(session, 'whenBusy=steer', { message: 'In blue?' });
    const { turn: as, ...more } = await readJson(response);
    expect(more).toEqual({
      session: getSessionId(session),
      agent: 'scripted',
      status: 'steering',
      into: turn,
    });
    expect([response.status, response.headers.get('location')]).toEqual([202, `${session}/turns/${as}`]);
    first.release();
    expect(await readJson(await answering)).toMatchObject({ turn, text: 'In blue.' });
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', name: 'record', text: 'Recorded.' },
      { role: 'user', text: 'In blue?' },
    ]);
    expect((await listStartedMessages(session)).length).toBe(1);
  });

  it('is shown to the clients that stream the turn', async () => {
    const session = createManualSession();
    const first = createHeldReply(RECORD_REPLY);
    const streaming = readSentEvents(
      await post(
        session,
        { message: registerScript(first.reply, 'In blue.').message() },
        { headers: SSE_HEADERS },
      ),
    );
    await readUntil(streaming, 'turn-started');
    await first.asked();
    await (await say(session, 'whenBusy=steer', { message: 'In blue?' })).text();
    first.release();
    const [steered] = (await readUntil(streaming, 'turn-steered')).slice(-1);
    expect(steered).toMatchObject({ data: { message: 'In blue?', principal: { id: 'local' } } });
    expect((await readUntil(streaming)).at(-1)).toMatchObject({
      event: 'answer',
      data: { text: 'In blue.' },
    });
  });

  it('returns the turn that received it if it is sent again under its key', async () => {
    const { session, first, turn, answering } = await startBusyWith(RECORD_REPLY, ['In blue.']);
    const postSteer = () => say(session, 'whenBusy=steer', { message: 'In blue?' }, createKeyHeader('k1'));
    const told = await readJson(await postSteer());
    expect(await readJson(await postSteer())).toEqual(told);
    first.release();
    await (await answering).text();
    const again = await postSteer();
    expect([again.status, again.headers.get('location'), await readJson(again)]).toEqual([
      202,
      `${session}/turns/${told.turn}`,
      { ...told, status: 'steered', into: turn },
    ]);
    const queued = await say(session, 'whenBusy=queue', { message: 'In blue?' }, createKeyHeader('k1'));
    expect((await readJson(queued)).status).toBe('steered');
  });

  it('becomes a separate turn if the open turn ends first', async () => {
    // The holder would receive the message after ten seconds, or with an append that does not end the turn.
    const session = createSessionPath();
    const first = createHeldReply('First.');
    const answering = post(session, { message: registerScript(first.reply, 'Second.').message() });
    await first.asked();
    const { turn, status } = await readJson(await say(session, 'whenBusy=steer', { message: 'And this?' }));
    expect(status).toBe('steering');
    first.release();
    expect(await readJson(await answering)).toMatchObject({ text: 'First.' });
    await expect.poll(async () => (await send(`${session}/turns/${turn}`)).status).toBe(200);
    expect(await readJson(await send(`${session}/turns/${turn}`))).toMatchObject({ turn, text: 'Second.' });
  });

  it.each([
    ['waits for the answer', {}],
    ['does not wait', ASYNC_HEADERS],
  ])('is refused by a waiting turn, with the pending calls, if its client %s', async (_, headers) => {
    const { session, turn, pending, links, model } = await startWaitingTurn(['pay'], { replies: ['Paid.'] });
    const response = await say(session, 'whenBusy=steer', { message: 'Stop, wrong amount' }, headers);
    const detail = `Turn ${turn} waits for an answer from outside. Answer its pending calls, or send the message with ?pending=decline.`;
    expect(await readJson(response)).toEqual(createProblem('turn-suspended', 409, detail, { turn, pending }));
    expect(response.status).toBe(409);
    expect(await readJson(await send(session))).toMatchObject({ openTurn: turn, waiting: [], pending });
    const decided = await send(links[0] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(await readJson(decided)).toMatchObject({ outcome: 'completed', text: 'Paid.' });
    expect(JSON.stringify(model.requests)).not.toContain('Stop, wrong amount');
  });

  it('declines the pending calls of the open turn on request, and starts a turn', async () => {
    const { session, turn } = await startWaitingTurn(['pay'], { replies: ['Stopped.'] });
    const response = await say(session, 'whenBusy=steer&pending=decline', { message: 'Stop, wrong amount' });
    expect([response.status, (await readJson(response)).text]).toEqual([200, 'Stopped.']);
    const first = (await readJournal(session)).find((one) => one.type === 'turn-ended' && one.turn === turn);
    expect(first).toMatchObject({ outcome: 'cancelled' });
  });

  it('cannot be scheduled', async () => {
    const response = await say(createSessionPath(), 'whenBusy=steer', { message: 'Hello', delaySeconds: 1 });
    const detail = 'A message with delaySeconds cannot steer.';
    expect(await readJson(response)).toEqual(createProblem('invalid-query', 400, detail));
  });
});

describe('a scheduled message', () => {
  it('returns 202 with its time, and its turn then starts without a request', async () => {
    const session = createSessionPath();
    const before = Date.now();
    const { message, model } = registerScript('Done.');
    const response = await post(session, { message: message(), delaySeconds: 3600 });
    const { turn, startsAt, ...more } = await readJson(response);
    expect(more).toEqual({ session: getSessionId(session), agent: 'scripted', status: 'scheduled' });
    expect([response.status, response.headers.get('location')]).toEqual([202, `${session}/turns/${turn}`]);
    expect(new Date(String(startsAt)).toISOString()).toBe(startsAt);
    expect(Date.parse(String(startsAt)) - before).toBeGreaterThanOrEqual(3_600_000);
    expect(model.requests.length).toBe(0);
    expect(await readJson(await send(session))).toMatchObject({
      openTurn: null,
      waiting: [{ turn, status: 'scheduled' }],
      messages: [],
    });
    await advanceClock(session, 3_600_000);
    const events = await followToEnd(session);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', turn, outcome: 'completed' });
  });

  it('queues immediately with a delay of 0', async () => {
    const { session, first, answering } = await startBusy('Second.');
    const response = await post(session, { message: 'Two', delaySeconds: 0 });
    const { turn, status } = await readJson(response);
    expect([response.status, status]).toEqual([202, 'scheduled']);
    await expect
      .poll(async () => (await readJson(await send(session))).waiting)
      .toEqual([{ turn, status: 'queued' }]);
    first.release();
    await (await answering).text();
    await expect.poll(async () => (await send(`${session}/turns/${turn}`)).status).toBe(200);
  });

  it('is scheduled only once under its key', async () => {
    const session = createSessionPath();
    const body = { message: registerScript('Done.').message(), delaySeconds: 3600 };
    const first = await readJson(await post(session, body, { headers: createKeyHeader('k') }));
    expect(await readJson(await post(session, body, { headers: createKeyHeader('k') }))).toEqual(first);
    expect((await readJson(await send(session))).waiting).toEqual([
      { turn: first.turn, status: 'scheduled' },
    ]);
  });

  it.each([-1, '5', null, 31_536_001, true])('returns 422 for the delay %j', async (delaySeconds) => {
    const response = await post(createSessionPath(), { message: 'Hello', delaySeconds });
    const rule = 'delaySeconds: must be a number from 0 to 31536000 (365 days)';
    expect(await readJson(response)).toEqual(
      createProblem('invalid-body', 422, `The body is not valid: ${rule}.`, { problems: [rule] }),
    );
  });
});
