/** The package's client against the real routes and the real object. */
import { describe, expect, it } from 'vitest';
import { type ClientSession, createClient, type StreamItem } from '../../../../src/client/entry.ts';
import { createSessionStore } from '../../../../src/client/react/entry.ts';
import { content, defineAgent, defineTool, image } from '../../../../src/index.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { createHeldReply, modelBySession, playModel, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal, type Send, send } from '../http/client.ts';

/** A new session whose responses are transformed by `change`. */
function createSession(
  agent: string,
  change = (response: Response): Response => response,
  via: Send = send,
): ClientSession {
  const client = createClient({
    url: 'http://localhost',
    agent,
    fetch: async (url, init) => change(await via(new URL(url).pathname + new URL(url).search, init)),
  });
  return client.session(`c-${crypto.randomUUID()}`);
}

const getPath = ({ id }: ClientSession, agent: string): string => `/agents/${agent}/sessions/${id}`;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const getSeqs = (items: readonly StreamItem[]) => items.flatMap((item) => ('seq' in item ? item.seq : []));
const joinText = (items: readonly StreamItem[]) =>
  items.flatMap((item) => (item.type === 'text-delta' ? item.text : [])).join('');

/** Breaks the first stream in the middle of the frame after an event of this type. */
function cutAfter(type: string) {
  let isCut = false;
  return (response: Response): Response => {
    if (isCut) return response;
    isCut = true;
    let text = '';
    const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const before = text.length;
        text += decoder.decode(chunk, { stream: true });
        const end = text.indexOf('\n\n', text.indexOf(`event: ${type}\n`) >>> 0);
        if (end < 0) return controller.enqueue(chunk);
        controller.enqueue(encoder.encode(`${text.slice(before, end + 2)}id: 99\nevent: model-re`));
        controller.terminate();
      },
    });
    return new Response(response.body?.pipeThrough(cutting), response);
  };
}

const ADD = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

describe('the client', () => {
  it('forks a session, and continues in the fork', async () => {
    const session = createSession('scripted');
    const { message } = registerScript('One.', 'Two.', 'Three.');
    await session.send(message());
    await session.send('More');
    const fork = await session.fork({ at: 4 });
    expect((await fork.state()).messages.map(({ text }) => text)).toEqual([message(), 'One.']);
    expect(await fork.send('Other')).toMatchObject({ text: 'Three.', session: fork.id });
    const name = `c-${crypto.randomUUID()}`;
    expect((await session.fork({ at: 4, name })).id).toBe(name);
    await expect(session.fork({ at: 99 })).rejects.toMatchObject({ type: 'invalid-body' });
  });

  it('runs a turn of several iterations, and shows all of its journaled events', async () => {
    const session = createSession('scripted');
    const { message } = registerScript(
      ADD,
      { calls: [{ name: 'look_up', input: { id: 'o1' } }] },
      'It is three.',
    );
    const items = await collect(session.stream(message()));
    const events = (await readJournal(getPath(session, 'scripted'))).filter(({ turn }) => turn !== undefined);
    expect(items.filter((item) => 'seq' in item)).toEqual(events);
    expect(joinText(items)).toBe('It is three.');
    expect(items.at(-1)).toMatchObject({
      type: 'answer',
      answer: { outcome: 'completed', text: 'It is three.', iterations: 3 },
    });
    expect(await collect(session.events({ after: 1 }))).toEqual(events);
  });

  it.each(['turn-started', 'tool-call-ended'])(
    'receives every event exactly once if its connection breaks after %s',
    async (type) => {
      const session = createSession('scripted', cutAfter(type));
      const { message, model } = registerScript(ADD, ADD, 'Three.');
      const items = await collect(session.stream(message()));
      const stored = (await readJournal(getPath(session, 'scripted'))).flatMap(({ turn, seq }) =>
        turn === undefined ? [] : seq,
      );
      expect(getSeqs(items)).toEqual(stored);
      expect(items.filter((item) => item.type === 'resumed')).toHaveLength(1);
      expect(items.at(-1)).toMatchObject({ type: 'answer', answer: { text: 'Three.' } });
      expect(model.requests).toHaveLength(3);
    },
  );

  it('runs a message only once if the response is lost', async () => {
    let asked = 0;
    const session = createSession('scripted', (response) => {
      asked += 1;
      if (asked === 1) throw new TypeError('fetch failed');
      return response;
    });
    const { message, model } = registerScript('Once.', 'Twice.');
    expect(await session.send(message())).toMatchObject({ outcome: 'completed', text: 'Once.' });
    expect([asked, model.requests.length]).toEqual([2, 1]);
  });

  it('approves one call and denies another in one request, and shows only the new events', async () => {
    const session = createSession('clerk');
    const to = crypto.randomUUID();
    const createPayCall = (amount: number) => ({ name: 'pay', input: { to, amount } });
    const { message } = registerScript({ calls: [createPayCall(1), createPayCall(2)] }, 'One of them.');
    const answer = await session.send(message());
    if (answer.outcome !== 'suspended') throw new Error('The turn is not waiting for a call.');
    const [first, second] = answer.pending;
    if (!first || !second) throw new Error('The turn is not waiting for two calls.');
    const before = Number((await readJournal(getPath(session, 'clerk'))).at(-1)?.seq);
    const items = await collect(
      session.streamAnswers([
        { call: first, decision: 'approve' },
        { call: second, decision: 'reject', reason: 'Too much.' },
      ]),
    );
    expect(Math.min(...getSeqs(items))).toBe(before + 1);
    expect(items.at(-1)).toMatchObject({
      type: 'answer',
      answer: { outcome: 'completed', text: 'One of them.' },
    });
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('answers the second question of a call, and sends the result of a tool', async () => {
    const session = createSession('clerk');
    const to = crypto.randomUUID();
    const { message } = registerScript(
      { calls: [{ name: 'pay_twice_asked', input: { to, amount: 1 } }] },
      { calls: [{ name: 'look_up', input: { id: 'o' } }] },
      'Paid.',
    );
    let answer = await session.send(message());
    for (const word of ['Sure?', 'Really?']) {
      expect(answer.outcome === 'suspended' && answer.pending[0]?.message).toBe(word);
      answer = await session.decide(
        answer.outcome === 'suspended' && answer.pending[0] ? answer.pending[0] : '',
        'approve',
      );
    }
    if (answer.outcome !== 'suspended') throw new Error('The turn is not waiting for a call.');
    expect(answer.pending).toMatchObject([{ tool: 'look_up', for: 'result' }]);
    expect(await session.result(answer.pending[0] ?? '', { result: { total: 1 } })).toMatchObject({
      outcome: 'completed',
      text: 'Paid.',
    });
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('sends an image, and receives an image and the model’s reasoning', async () => {
    const { key, model } = playModel({
      ...scriptedModel([
        { calls: [{ name: 'draw' }] },
        {
          parts: [
            { type: 'reasoning', text: 'A pixel.' },
            { type: 'text', text: 'Drawn.' },
          ],
        },
      ]),
      media: { message: { data: ['image/*'], url: [] }, result: { data: ['image/*'], url: [] } },
    });
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      effect: 'read',
      run: () => content(['A dot:', image(new Uint8Array([1, 2, 3]), 'image/png', 'dot.png')]),
    });
    const painter = defineAgent({
      name: 'painter',
      description: 'Paints.',
      instructions: '',
      tools: [draw],
      model: modelBySession,
      accepts: ['image/*'],
    });
    const session = createSession('painter', undefined, createTestApp({ agents: [painter], use: [files()] }));
    const photo = new File([new Uint8Array([9, 8])], 'photo.png', { type: 'image/png' });
    const items = await collect(session.stream(`Like this. #${key}`, { files: [photo] }));
    expect(model.requests[0]?.messages[0]).toMatchObject({
      role: 'user',
      parts: [{ type: 'text' }, { type: 'text' }, { type: 'file', name: 'photo.png', data: 'CQg=' }],
    });
    const last = items.at(-1);
    if (last?.type !== 'answer') throw new Error('The stream ended without an answer.');
    const [file] = last.answer.files ?? [];
    const blob = await session.file(file ?? '');
    expect([file?.name, blob.type, [...new Uint8Array(await blob.arrayBuffer())]]).toEqual([
      'dot.png',
      'image/png',
      [1, 2, 3],
    ]);
    expect(items.flatMap((item) => (item.type === 'reasoning-delta' ? item.text : [])).join('')).toBe(
      'A pixel.',
    );
    const { messages } = await session.state();
    expect(messages).toMatchObject([
      { role: 'user', parts: [{ type: 'text' }, { type: 'file', name: 'photo.png', size: 2 }] },
      {
        role: 'assistant',
        toolCalls: [{ name: 'draw', status: 'ended', files: [{ id: file?.id, name: 'dot.png' }] }],
      },
      {
        role: 'assistant',
        text: 'Drawn.',
        parts: [{ type: 'reasoning', text: 'A pixel.' }, { type: 'text' }],
      },
    ]);
  });

  it('waits for a turn in the background, and cancels another turn', async () => {
    const session = createSession('scripted');
    const waits = createHeldReply('Late.');
    const { message } = registerScript('Soon.', waits.reply);
    const later = await session.send(message(), { background: true });
    expect(later).toMatchObject({ status: 'accepted' });
    expect(await session.turn(later.turn, { wait: true })).toMatchObject({
      outcome: 'completed',
      text: 'Soon.',
    });
    const { turn } = await session.send('Again.', { background: true });
    await waits.asked();
    expect(await session.turn(turn)).toMatchObject({ turn, status: 'running' });
    expect(await session.cancel()).toEqual({ turn, status: 'cancel-requested' });
    expect(await session.turn(turn, { wait: true })).toMatchObject({ outcome: 'cancelled' });
  });

  it('reports the type of a refusal, and the error of a failed turn', async () => {
    const session = createSession('scripted');
    await expect(session.state()).rejects.toMatchObject({
      name: 'HoldfastError',
      type: 'unknown-session',
      status: 404,
    });
    const failed = await session.send(registerScript().message());
    expect(failed).toMatchObject({ outcome: 'failed', error: { type: 'model-failure' } });
    expect(await session.turn(failed.turn)).toEqual(failed);
    await expect(session.cancel()).rejects.toMatchObject({ type: 'no-open-turn', status: 409 });
  });

  it('follows turns that other clients start, until the session is erased', async () => {
    const session = createSession('scripted');
    const { message } = registerScript('One.', 'Two.');
    await session.send(message());
    const { seq } = await session.state();
    const watching = collect(session.watch({ after: seq }));
    await session.send('Again.');
    await session.erase();
    const items = await watching;
    expect(items.filter((item) => 'seq' in item).map(({ type }) => type)).toContain('turn-ended');
    expect(items.at(-1)?.type).toBe('erased');
    await expect(session.state()).rejects.toMatchObject({ type: 'unknown-session' });
  });
});

describe('the session store of a page', () => {
  it('shows a turn that it sent, an approval and the end in the same way as another page’s store', async () => {
    const session = createSession('clerk');
    const [mine, other] = [createSessionStore(session), createSessionStore(session)];
    const leave = [mine, other].map((store) => store.subscribe(() => {}));
    const to = crypto.randomUUID();
    const { message } = registerScript(
      { text: 'I ask.', calls: [{ name: 'pay', input: { to, amount: 3 } }] },
      'Paid.',
    );
    expect(await mine.send(message('Pay.'))).toBe(true);
    for (const store of [mine, other])
      await expect
        .poll(() => store.getSnapshot())
        .toMatchObject({ status: 'waiting', pending: [{ tool: 'pay', input: { amount: 3 } }] });
    expect(await other.decide(other.getSnapshot().pending[0] ?? '', 'approve')).toBe(true);
    for (const store of [mine, other])
      await expect
        .poll(() => store.getSnapshot())
        .toMatchObject({
          status: 'idle',
          messages: [
            { role: 'user' },
            { text: 'I ask.', calls: [{ status: 'ended', result: 'Paid 3.' }] },
            { role: 'assistant', text: 'Paid.' },
          ],
          state: { turn: { outcome: 'completed' } },
        });
    expect(listPaymentsTo(to)).toEqual([3]);
    for (const one of leave) one();
  });
});
