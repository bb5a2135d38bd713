/**
 * The items of a turn as app code reads them: live, from the journal, after an event, or with a stopped or
 * slow reader.
 */
import { describe, expect, it } from 'vitest';
import { ConfigurationError, type Session, type TurnItem } from '../../../../src/create-holdfast.ts';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { marathon } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import {
  followToEnd,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from '../http/client.ts';
import { answer, startWaitingTurn } from '../http/waiting.ts';
import {
  catchRefusal,
  collect,
  createCodeApp,
  createRefusal,
  LOCAL_CALLER,
  openNewSession,
  openSession,
} from './from-code.ts';

const addReply = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

const getSeqs = (items: readonly TurnItem[]): number[] =>
  items.flatMap((item) => ('seq' in item ? item.seq : []));

/** Returns the sequence numbers of a session's turns after the given one. */
const listJournaledSeqs = async (path: string, after = 0): Promise<number[]> =>
  (await readJournal(path))
    .filter(({ turn }) => turn !== undefined)
    .map(({ seq }) => Number(seq))
    .filter((seq) => seq > after);

/** A turn of the clerk that waits for these tools, from code. */
async function waitInChat(...tools: string[]) {
  const wait = await startWaitingTurn(tools);
  return { ...wait, chat: openSession(wait.session), calls: wait.pending.map(({ call }) => String(call)) };
}

describe('session.stream', () => {
  it('yields the turn’s items in order, as HTTP does, and its answer last', async () => {
    const { path, chat } = openNewSession();
    const stream = await chat.stream(registerScript(addReply, 'Three.').message());
    const items = await collect(stream);
    expect(getSeqs(items)).toEqual(await listJournaledSeqs(path));
    expect(items.map(({ type }) => type)).toEqual(expect.arrayContaining(['text-delta', 'progress']));
    const answered = await chat.turn(stream.turn);
    expect(items.at(-1)).toEqual({ type: 'answer', answer: JSON.parse(JSON.stringify(answered)) });
  });

  it('begins the turn before the first read, and the turn ends even if the stream is not read', async () => {
    const { path, chat } = openNewSession();
    const { turn } = await chat.stream(registerScript(addReply, 'Three.').message());
    expect((await followToEnd(path)).at(-1)).toMatchObject({
      type: 'turn-ended',
      turn,
      outcome: 'completed',
    });
  });

  it('can be abandoned, and the turn resumes in another invocation', async () => {
    const { path, chat } = openNewSession();
    const slow = createHeldReply(addReply);
    for await (const { type } of await chat.stream(registerScript(slow.reply, 'Three.').message())) {
      if (type === 'turn-started') break;
    }
    slow.release();
    const events = await followToEnd(path);
    expect(events.map(({ type }) => type)).toContain('turn-yielded');
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  });

  it('ends without an error if its consumer stops waiting', async () => {
    const { path, chat } = openNewSession();
    const slow = createHeldReply(addReply);
    const gone = new AbortController();
    const stream = await chat.stream(registerScript(slow.reply, 'Three.').message(), { signal: gone.signal });
    const reading = collect(stream);
    await slow.asked();
    gone.abort();
    slow.release();
    expect((await reading).map(({ type }) => type)).not.toContain('answer');
    expect((await followToEnd(path)).at(-1)).toMatchObject({ outcome: 'completed' });
  });

  it('lets a slow reader catch up from the journal, without duplicates', async () => {
    const { path, chat } = openNewSession();
    const piece = 'x'.repeat(100 * 1024);
    const pieces = Array.from({ length: 15 }, () => piece);
    const last = createHeldReply('Done.');
    const long = { text: pieces.join(''), pieces, ...addReply };
    const stream = await chat.stream(registerScript(long, last.reply).message());
    await last.asked();
    last.release();
    await followToEnd(path);
    const items = await collect(stream);
    expect(items.filter(({ type }) => type === 'text-delta').length).toBeLessThan(15);
    expect(getSeqs(items)).toEqual(await listJournaledSeqs(path));
    expect(items.at(-1)).toMatchObject({ type: 'answer', answer: { text: 'Done.' } });
  });

  it('begins after the event in `after`, even in an earlier turn', async () => {
    const { path, chat } = openNewSession();
    const text = registerScript(addReply, 'Three.').message();
    const first = await collect(await chat.stream(text, { idempotencyKey: 'k' }));
    const after = getSeqs(first)[1] ?? 0;
    const again = await collect(await chat.stream(text, { idempotencyKey: 'k', after }));
    expect(getSeqs(again)).toEqual(await listJournaledSeqs(path, after));
    expect(again.at(-1)).toEqual(first.at(-1));
  });

  it('reports where to continue if the invocation has to end before the turn', async () => {
    const { path, chat } = openNewSession('marathon');
    const answers = Array.from({ length: 30 }, () => createHeldReply(addReply));
    const answering = post(path, {
      message: registerScript(...answers.map(({ reply }) => reply), 'Done.').message(),
    });
    await answers[0]?.asked();
    const limited = createCodeApp({
      agents: [marathon],
      limits: { subrequests: 20, internalSubrequests: 20 },
    });
    const openTurn = (await chat.state()).openTurn ?? '';
    const following = collect(await openSession(path, LOCAL_CALLER, limited).follow(openTurn));
    for (const { asked, release } of answers) {
      await asked();
      release();
    }
    const items = await following;
    const after = getSeqs(items).at(-1) ?? 0;
    expect(items.at(-1)).toEqual({
      type: 'continues',
      turn: openTurn,
      answer: `${path}/turns/${openTurn}`,
      after,
      events: `${path}/events?after=${after}`,
    });
    await answering;
    const rest = await collect(await chat.follow(openTurn, { after }));
    expect([...getSeqs(items), ...getSeqs(rest)]).toEqual(await listJournaledSeqs(path));
  });

  it('yields a message that has no turn yet', async () => {
    const { chat } = openNewSession();
    const items = await collect(await chat.stream('Later', { delaySeconds: 3600 }));
    expect(items).toMatchObject([{ type: 'later', view: { status: 'scheduled' } }]);
  });

  it('rejects if it is refused, without starting a turn', async () => {
    const { path, chat } = openNewSession();
    const bad = chat.stream('Hello', { after: -1 });
    const text = 'after must be the sequence number of an event, such as 12.';
    expect(await catchRefusal(bad)).toEqual(createRefusal('invalid-query', text));
    expect((await catchRefusal(chat.stream(' '))).type).toBe('invalid-body');
    await expect(chat.stream('Hello', { background: true } as never)).rejects.toThrow(
      new ConfigurationError(
        "session.stream has an unknown option 'background'. Use one of context, loopId, idempotencyKey, whenBusy, pending, delaySeconds, after, signal.",
      ),
    );
    expect((await send(path)).status).toBe(404);
  });

  it('yields the error of a failed turn', async () => {
    const items = await collect(await openNewSession().chat.stream('No script is named here.'));
    expect(items.at(-1)).toMatchObject({
      type: 'answer',
      answer: { outcome: 'failed', error: { type: 'model-failure' } },
    });
  });
});

describe('session.answer and session.streamAnswers', () => {
  const createApproval = (call = '') => ({ call, decision: 'approve' as const });

  it('answer several calls in one request', async () => {
    const { chat, calls, to } = await waitInChat('pay', 'pay', 'look_up');
    const [one, two, look = ''] = calls;
    const answered = await chat.answer([
      createApproval(one),
      { call: two ?? '', decision: 'reject' },
      { call: look, text: 'Here.' },
    ]);
    expect(answered).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('return the same results as HTTP', async () => {
    const web = await startWaitingTurn(['pay']);
    const byHttp = await readJson(
      await answer(`${web.session}/answers`, { answers: [createApproval(String(web.pending[0]?.call))] }),
    );
    const { chat, calls } = await waitInChat('pay');
    const fromCode = await chat.answer([createApproval(calls[0])]);
    expect(Object.keys(JSON.parse(JSON.stringify(fromCode)))).toEqual(Object.keys(byHttp));
  });

  it('leave the turn to another invocation if they run in the background', async () => {
    const { chat, calls, session, to } = await waitInChat('pay');
    expect(await chat.answer([createApproval(calls[0])], { background: true })).toMatchObject({
      status: 'accepted',
    });
    await followToEnd(session);
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('show the events since the questions by default, or from the first event on request', async () => {
    const { chat, calls, session } = await waitInChat('pay', 'pay');
    const suspended = (await readJournal(session)).findLast(({ type }) => type === 'tool-call-suspended');
    const items = await collect(await chat.streamAnswers(calls.map(createApproval)));
    expect(getSeqs(items)).toEqual(await listJournaledSeqs(session, Number(suspended?.seq)));
    expect(items.at(-1)).toMatchObject({ type: 'answer', answer: { text: 'Done.' } });
    const all = await waitInChat('pay');
    const from = await collect(await all.chat.streamAnswers(all.calls.map(createApproval), { after: 0 }));
    expect(getSeqs(from)).toEqual(await listJournaledSeqs(all.session));
  });

  it('show that the turn waits for the other answers', async () => {
    const { chat, calls } = await waitInChat('pay', 'look_up');
    const items = await collect(await chat.streamAnswers([createApproval(calls[0])]));
    expect(items.at(-1)).toMatchObject({ type: 'suspended', view: { pending: [{ call: calls[1] }] } });
  });

  it('are accepted only once under a key', async () => {
    const { chat, calls, to } = await waitInChat('pay');
    const first = await chat.answer([createApproval(calls[0])], { idempotencyKey: 'k' });
    expect(await chat.answer([createApproval(calls[0])], { idempotencyKey: 'k' })).toEqual(first);
    const again = await collect(
      await chat.streamAnswers([createApproval(calls[0])], { idempotencyKey: 'k' }),
    );
    expect(again.at(-1)).toMatchObject({ type: 'answer', answer: { text: 'Done.' } });
    expect((await catchRefusal(chat.answer([createApproval(calls[0])]))).type).toBe('already-answered');
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it.each<[string, Parameters<Session['answer']>[0], string]>([
    ['an empty list', [], 'answers: must be a list of 1 to 128'],
    ['a value that is not a list', 'c' as never, 'answers: must be a list of 1 to 128'],
    [
      'an answer without a call',
      [{ decision: 'approve' } as never],
      'answers[0].call: must be the id of a call',
    ],
  ])('refuse the same input as HTTP: %s', async (_, given, problem) => {
    const { chat, to } = await waitInChat('pay');
    const told = createRefusal('invalid-body', `The body is not valid: ${problem}.`, {
      more: { problems: [problem] },
    });
    expect(await catchRefusal(chat.answer(given))).toEqual(told);
    expect(await catchRefusal(chat.streamAnswers(given))).toEqual(told);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('report unknown options', async () => {
    const { chat, calls } = await waitInChat('pay');
    await expect(chat.answer([createApproval(calls[0])], { question: 1 } as never)).rejects.toThrow(
      ConfigurationError,
    );
    await expect(
      chat.streamAnswers([createApproval(calls[0])], { background: true } as never),
    ).rejects.toThrow(
      new ConfigurationError(
        "session.streamAnswers has an unknown option 'background'. Use one of idempotencyKey, after, signal.",
      ),
    );
    expect((await chat.state()).pending).toHaveLength(1);
  });
});

describe('session.follow', () => {
  it('shows a turn that runs in another invocation, until it ends', async () => {
    const { path, chat } = openNewSession();
    const slow = createHeldReply('Three.');
    const running = post(path, { message: registerScript(addReply, slow.reply).message() });
    await slow.asked();
    const { openTurn } = await chat.state();
    const reading = collect(await chat.follow(openTurn ?? ''));
    slow.release();
    const items = await reading;
    expect(getSeqs(items)).toEqual(await listJournaledSeqs(path));
    expect(items.at(-1)).toEqual({ type: 'answer', answer: await readJson(await running) });
  });

  it('yields the same items as the client’s stream', async () => {
    const { path, chat } = openNewSession();
    const { turn } = await chat.send(registerScript(addReply, 'Three.').message());
    const items = await collect(await chat.follow(turn, { after: 3 }));
    const events = await readAllEvents(await send(`${path}/turns/${turn}?after=3`, { headers: SSE_HEADERS }));
    expect(items.map((item) => ('seq' in item ? item : item.type))).toEqual(
      events.map(({ id, event, data }) => (id === undefined ? event : data)),
    );
  });

  it('shows immediately that a turn waits', async () => {
    const { chat, turn, pending } = await waitInChat('pay');
    expect((await collect(await chat.follow(turn))).at(-1)).toMatchObject({
      type: 'suspended',
      view: { pending },
    });
  });

  it('shows the turn that received the steering message', async () => {
    const { path, chat } = openNewSession();
    const slow = createHeldReply('Done.');
    const running = chat.send(registerScript(slow.reply).message());
    await slow.asked();
    const queued = await chat.send('Next', { whenBusy: 'queue', background: true });
    const stop = collect(await chat.follow(queued.turn));
    slow.release();
    await running;
    expect((await stop).at(-1)?.type).toBe('answer');
    expect(path).toContain('scripted');
  });

  it('ends if its session is erased, or if its reader stops', async () => {
    const { chat } = openNewSession();
    const { turn } = await chat.send('Later', { delaySeconds: 3600 });
    const reading = collect(await chat.follow(turn));
    const gone = new AbortController();
    const left = collect(await chat.follow(turn, { signal: gone.signal }));
    gone.abort();
    expect(await left).toEqual([]);
    await chat.erase();
    expect(await reading).toEqual([{ type: 'erased', turn }]);
  });

  it('rejects for an unknown turn', async () => {
    const { chat } = openNewSession();
    expect((await catchRefusal(chat.follow('x'))).type).toBe('unknown-session');
    await chat.send(registerScript('Done.').message());
    expect((await catchRefusal(chat.follow('x'))).type).toBe('unknown-turn');
    expect((await catchRefusal(chat.follow('x', { after: 1.5 }))).type).toBe('invalid-query');
    expect(() => chat.follow('x', { from: 1 } as never)).toThrow(ConfigurationError);
  });
});
