/**
 * Event ids: a client that resumes is notified that the session was erased, even if a new one has its name.
 */
import { describe, expect, it } from 'vitest';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, post, readJournal, readJson, type Send, SSE_HEADERS, send } from './client.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const erase = (session: string): Promise<Response> => send(session, { method: 'DELETE' });

/** Runs a turn in a session, and returns the turn's id. */
async function runTalk(session: string, text = 'Done.'): Promise<string> {
  const { turn } = await readJson(await post(session, { message: registerScript(text).message() }));
  return String(turn);
}

/** Returns the identity that distinguishes a session from others of its name. */
const readIncarnation = async (session: string): Promise<string> =>
  String((await readJournal(session))[0]?.incarnation);

interface Frame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Yields the frames of a stream with their raw ids. */
async function* readFrames(response: Response): AsyncGenerator<Frame> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  let rest = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const texts = `${rest}${piece}`.split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const fields = new Map(
        text.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const event = fields.get('event');
      if (event !== undefined)
        yield { id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? '') };
    }
  }
}

/** Reads until this frame or the end, and leaves the rest unread. */
async function readFramesTo(response: Response, isLast = (_: Frame) => false): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(response)) {
    frames.push(frame);
    if (isLast(frame)) break;
  }
  return frames;
}

const isEnd = ({ event }: Frame): boolean => event === 'turn-ended';
const getIds = (frames: readonly Frame[]): unknown[] =>
  frames.flatMap(({ id }) => (id === undefined ? [] : [id]));
const getEvents = (session: string, id?: string, via: Send = send): Promise<Response> =>
  via(`${session}/events`, { headers: { ...SSE_HEADERS, ...(id !== undefined && { 'last-event-id': id }) } });

describe('the id of an event', () => {
  it('contains its sequence number and the session’s identity, in every stream', async () => {
    const session = createSessionPath();
    const body = { message: registerScript('Done.', 'Next.').message() };
    const key = { ...SSE_HEADERS, 'idempotency-key': 'k' };
    const streamed = await readFramesTo(await post(session, body, { headers: key }));
    const incarnation = await readIncarnation(session);
    expect(incarnation).toMatch(/^[0-9a-f]{16}$/);
    const ids = [2, 3, 4].map((seq) => `${seq}-${incarnation}`);
    expect(getIds(streamed)).toEqual(ids);
    const { turn } = streamed.at(-1)?.data ?? {};
    expect(getIds(await readFramesTo(await post(session, body, { headers: key })))).toEqual(ids);
    expect(
      getIds(await readFramesTo(await send(`${session}/turns/${turn}`, { headers: SSE_HEADERS }))),
    ).toEqual(ids);
    expect(getIds(await readFramesTo(await getEvents(session), isEnd))).toEqual([`1-${incarnation}`, ...ids]);
    const next = await readFramesTo(await post(session, { message: 'Next' }, { headers: SSE_HEADERS }));
    expect(getIds(next)).toEqual([5, 6, 7].map((seq) => `${seq}-${incarnation}`));
  });

  it('resumes the stream after its event, and so does the plain sequence number', async () => {
    const session = createSessionPath();
    const turn = await runTalk(session);
    const incarnation = await readIncarnation(session);
    const rest = [3, 4].map((seq) => `${seq}-${incarnation}`);
    for (const id of [`2-${incarnation}`, '2']) {
      expect(getIds(await readFramesTo(await getEvents(session, id), isEnd))).toEqual(rest);
      const headers = { ...SSE_HEADERS, 'last-event-id': id };
      expect(getIds(await readFramesTo(await send(`${session}/turns/${turn}`, { headers })))).toEqual(rest);
    }
    for (const id of [`2-${incarnation}`, '2']) {
      const after = await send(`${session}/events?after=${id}`, { headers: SSE_HEADERS });
      expect(getIds(await readFramesTo(after, isEnd))).toEqual(rest);
      const page = await readJson(await send(`${session}/events?after=${id}`));
      expect(page).toMatchObject({ events: [{ seq: 3 }, { seq: 4 }] });
    }
  });

  it('causes no additional request to the object', async () => {
    const asked: string[] = [];
    const counted = wrapObjects((stub) => {
      const recordCalls =
        <Args extends readonly unknown[], T>(name: string, ask: (...args: Args) => T) =>
        (...args: Args): T => {
          asked.push(name);
          return ask(...args);
        };
      return {
        read: recordCalls('read', (query: Parameters<typeof stub.read>[0]) => stub.read(query)),
        begin: recordCalls('begin', (begun: Parameters<typeof stub.begin>[0]) => stub.begin(begun)),
        append: recordCalls('append', (...args: Parameters<typeof stub.append>) => stub.append(...args)),
      };
    });
    const via = createTestApp({}, { SESSIONS: counted });
    const session = createSessionPath();
    await readFramesTo(
      await post(session, { message: registerScript('Done.').message() }, { headers: SSE_HEADERS, via }),
    );
    expect(asked).toEqual(['begin', 'append']);
    asked.length = 0;
    await readFramesTo(await getEvents(session, `2-${await readIncarnation(session)}`, via), isEnd);
    expect(asked).toEqual(['read', 'read']);
  });

  it.each(['x', '12-', '-1', '1-2-3 4', '12 abc', '12-é', `12-${'a'.repeat(65)}`])(
    'cannot be %s',
    async (id) => {
      const session = createSessionPath();
      await runTalk(session);
      const detail = 'Last-Event-ID must be the sequence number of an event, such as 12.';
      const refused = createProblem('invalid-header', 400, detail);
      expect(await readJson(await getEvents(session, id))).toEqual(refused);
      const before = await readJournal(session);
      const headers = { ...SSE_HEADERS, 'last-event-id': id };
      expect(await readJson(await post(session, { message: 'Again' }, { headers }))).toEqual(refused);
      expect(await readJournal(session)).toEqual(before);
      const waits = await startWaitingTurn(['pay']);
      expect(await readJson(await answer(getOnlyLink(waits), { decision: 'approve' }, { headers }))).toEqual(
        refused,
      );
      expect((await answer(getOnlyLink(waits), { decision: 'approve' })).status).toBe(200);
    },
  );
});

describe('a client that resumes in an erased session', () => {
  /** Returns the last event's id of a session that was erased and created again. */
  async function restartSession(session: string): Promise<string> {
    await runTalk(session);
    const id = `4-${await readIncarnation(session)}`;
    await erase(session);
    await runTalk(session, 'Again.');
    return id;
  }

  it('receives the erasure on the stream of all events, which continues with the next session’s first event', async () => {
    const session = createSessionPath();
    const id = await restartSession(session);
    const frames = await readFramesTo(await getEvents(session, id), isEnd);
    const incarnation = await readIncarnation(session);
    expect(frames[0]).toEqual({ id: '', event: 'erased', data: {} });
    expect(getIds(frames.slice(1))).toEqual([1, 2, 3, 4].map((seq) => `${seq}-${incarnation}`));
  });

  it('receives the erasure once, and resumes from the id of that notice as usual', async () => {
    const session = createSessionPath();
    let id = await restartSession(session);
    const told: string[] = [];
    // Behaves like an EventSource that loses its connection after each frame, and sends no empty id.
    for (let connection = 0; connection < 5; connection += 1) {
      const [frame] = await readFramesTo(await getEvents(session, id === '' ? undefined : id), () => true);
      told.push(frame?.event ?? '');
      id = frame?.id ?? id;
    }
    expect(told).toEqual(['erased', 'session-opened', 'turn-started', 'model-replied', 'turn-ended']);
  });

  it('receives the erasure while it watches, and then a 404', async () => {
    const session = createSessionPath();
    await runTalk(session);
    const frames = readFrames(await getEvents(session));
    for (let seq = 1; seq <= 4; seq += 1) await frames.next();
    await erase(session);
    expect((await frames.next()).value).toEqual({ id: '', event: 'erased', data: {} });
    expect((await frames.next()).done).toBe(true);
    expect((await getEvents(session)).status).toBe(404);
  });

  it('receives the erasure on the stream of a turn, which ends', async () => {
    const session = createSessionPath();
    const reply = createHeldReply('Done.');
    const headers = { ...SSE_HEADERS, prefer: 'respond-async' };
    const { turn } = await readJson(
      await post(session, { message: registerScript(reply.reply).message() }, { headers }),
    );
    await reply.asked();
    const frames = readFrames(await send(`${session}/turns/${turn}`, { headers: SSE_HEADERS }));
    expect((await frames.next()).value?.event).toBe('turn-started');
    await erase(session);
    expect((await frames.next()).value).toEqual({ id: '', event: 'erased', data: { turn } });
    expect((await frames.next()).done).toBe(true);
    reply.release();
  });

  it('also receives the erasure from a page of events', async () => {
    const session = createSessionPath();
    const id = await restartSession(session);
    const detail = 'The session of this event was erased. Leave out `after` to read the current one.';
    expect(await readJson(await send(`${session}/events?after=${id}`))).toEqual(
      createProblem('session-erased', 410, detail),
    );
  });

  it('does not receive the erasure from an older object, which does not support it', async () => {
    const session = createSessionPath();
    const id = await restartSession(session);
    const older = wrapObjects((stub) => ({
      read: async (query: Parameters<typeof stub.read>[0]) => {
        const page = await stub.read(query);
        if (!page) return page;
        const { incarnation: _, ...told } = page;
        return told;
      },
    }));
    const page = await readJson(
      await createTestApp({}, { SESSIONS: older })(`${session}/events?after=${id}`),
    );
    expect(page).toMatchObject({ events: [], head: 4 });
  });

  it('receives only the erasure if the id and the turn belong to different sessions', async () => {
    const session = createSessionPath();
    const id = await restartSession(session);
    const turn = await runTalk(session).catch(() => '');
    const [frame, ...more] = await readFramesTo(
      await send(`${session}/turns/${turn}`, { headers: { ...SSE_HEADERS, 'last-event-id': id } }),
    );
    expect([frame, more]).toEqual([{ id: '', event: 'erased', data: { turn } }, []]);
  });

  it('cannot send an answer', async () => {
    const session = createSessionPath();
    const id = await restartSession(session);
    const headers = { ...SSE_HEADERS, 'last-event-id': id, 'idempotency-key': 'k' };
    const refused = createProblem(
      'session-erased',
      410,
      'The session of Last-Event-ID, or of `after`, was erased. Send the message without it to start another.',
    );
    const before = await readJournal(session);
    const body = { message: registerScript('No.').message() };
    expect(await readJson(await post(session, body, { headers }))).toEqual(refused);
    expect(await readJournal(session)).toEqual(before);
    await erase(session);
    expect(await readJson(await post(session, body, { headers }))).toEqual(refused);
    expect((await send(session)).status).toBe(404);
    expect(
      await readJson(await answer(`${session}/messages?after=${id}`, body, { headers: SSE_HEADERS })),
    ).toEqual(refused);
    for (const path of ['approvals/c', 'results/c', 'answers'])
      expect(await readJson(await answer(`${session}/${path}`, {}, { headers }))).toEqual(refused);
  });

  it('can resend a message of the current session, and receives the later events', async () => {
    const session = createSessionPath();
    const body = { message: registerScript('Done.').message() };
    const key = { 'idempotency-key': 'k' };
    await post(session, body, { headers: key });
    const id = `3-${await readIncarnation(session)}`;
    const rest = await readFramesTo(
      await post(session, body, { headers: { ...SSE_HEADERS, ...key, 'last-event-id': id } }),
    );
    expect(rest.map(({ event }) => event)).toEqual(['turn-ended', 'answer']);
  });
});
