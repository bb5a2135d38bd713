import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { answers, defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { createManualClock, createTestSession } from '../../../../src/testing/entry.ts';
import { listOpenQuestions, postAnswer } from '../../../doors/session.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';
import { approve, BOTH_CALLS, createActingTools, openTurn } from './waits.ts';

describe('a call that waits inside a nested loop', () => {
  /** A tool that runs these tools in a nested loop. */
  const createDigTool = (began: string[], tools: readonly AnyTool[]): AnyTool => ({
    name: 'dig',
    description: 'Digs.',
    inputSchema: { type: 'object', properties: {} },
    effect: 'none',
    uses: [answers],
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_, call) => {
      began.push('dig');
      const frame = { name: 'dig', instructions: '', message: 'Dig.', tools };
      return text((await nest(call, frame)).text);
    },
  });

  it('is decided like any other call, and the turn resumes inside that loop (AEA-12)', async () => {
    const { did, pay, note } = createActingTools();
    const began: string[] = [];
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [createDigTool(began, [askFirst(pay)]), note],
    });
    const outer = { calls: [{ name: 'dig' }, { name: 'note' }] };
    const replies = [outer, { calls: [{ name: 'pay' }] }, 'Dug.', 'Done.'];
    const session = createTestSession(agent, { replies, warm: true });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [{ call: expect.any(String), tool: 'pay', message: 'May I pay?' }],
    });
    expect(did).toEqual(['note']);
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([did, began.length]).toEqual([['note', 'pay'], 2]);
    const tools = session.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(tools).toMatchObject([{ text: 'Dug.' }, { text: 'note 1' }]);
  });

  it('expires like any other call', async () => {
    const { did, pay } = createActingTools();
    const clock = createManualClock();
    const inner = askFirst(pay, { expires: 1_000 });
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [createDigTool([], [inner])],
    });
    const replies = [{ calls: [{ name: 'dig' }] }, { calls: [{ name: 'pay' }] }, 'Refused.', 'Done.'];
    const session = createTestSession(agent, { replies, clock });
    await session.send('Go.');
    await clock.advance(1_000);
    expect(await session.settled()).toMatchObject({ outcome: 'completed' });
    expect(did).toEqual([]);
    expect(session.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'Error: No.' });
  });

  it('is listed with the other waiting calls, starting with the outermost loop, in source order', async () => {
    const { pay, note } = createActingTools();
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [createDigTool([], [askFirst(pay)]), askFirst(note)],
    });
    const outer = { calls: [{ name: 'dig' }, { name: 'note' }] };
    const session = createTestSession(agent, { replies: [outer, { calls: [{ name: 'pay' }] }] });
    await session.send('Go.');
    expect((await session.pending()).map(({ tool }) => tool)).toEqual(['note', 'pay']);
  });
});

describe('a turn that is cancelled while a call waits', () => {
  const cancel = async (app: MemoryApp, body: unknown): Promise<unknown[]> => {
    const turn = await openTurn(app);
    expect(await app.port.post({ kind: 'cancel', turn, body: JSON.stringify(body) })).toBe('posted');
    expect(await app.run(await app.resume(turn))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    return (await app.events(turn)).flatMap((event): unknown[] =>
      event.type === 'tool-call-answered'
        ? [event.answer]
        : event.type === 'tool-call-ended'
          ? [event.result]
          : [],
    );
  };
  const manual = defineManualTool({ name: 'note', description: 'Notes.' });

  it('declines all waiting calls at once, with the name of the person whose new message replaced them', async () => {
    const { did, pay } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay), manual], replies: [BOTH_CALLS, 'Next.'] });
    await app.say('Go.');
    const lost = "No result of 'note' was sent: a new message came instead. It may have run or not.";
    const result = { type: 'error', message: lost, reason: 'declined' };
    const waits = listOpenQuestions(await app.events(await openTurn(app))).map(({ id }) => id);
    expect(await cancel(app, { declinedBy: 'ann', waits })).toEqual([
      { type: 'decision', decision: 'reject', reason: 'A new message came instead.', by: 'ann' },
      { type: 'result', result, by: 'ann' },
      {
        type: 'error',
        message: "This call of 'pay' was declined and did not run. Reason: A new message came instead.",
        reason: 'declined',
      },
      result,
    ]);
    expect([did, app.model.requests.length]).toEqual([[], 1]);
  });

  it('resumes if the call to decline has already been answered', async () => {
    const { did, pay } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const waits = listOpenQuestions(await app.events(turn)).map(({ id }) => id);
    await approve(app, turn);
    const body = JSON.stringify({ declinedBy: 'ann', waits });
    expect(await app.port.post({ kind: 'cancel', turn, body })).toBe('posted');
    expect(await app.run(await app.resume(turn))).toMatchObject({ turn: { outcome: 'completed' } });
    expect(did).toEqual(['pay']);
  });

  it('keeps waiting if a different question is open when the cancel arrives', async () => {
    const { did, pay } = createActingTools();
    const twice = askFirst(askFirst(pay, { by: 'manager' }));
    const app = createMemoryApp({ tools: [twice], replies: [{ calls: [{ name: 'pay' }] }, 'Next.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const waits = listOpenQuestions(await app.events(turn)).map(({ id }) => id);
    await approve(app, turn);
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'suspended' });
    const postDecline = (more: object) =>
      app.port.post({ kind: 'cancel', turn, body: JSON.stringify({ declinedBy: 'ann', ...more }) });
    await postDecline({ waits });
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'suspended' });
    const now = listOpenQuestions(await app.events(turn));
    expect(now).toMatchObject([{ number: 2, wait: { by: 'manager' } }]);
    await postDecline({ waits: now.map(({ id }) => id) });
    expect(await app.run(await app.resume(turn))).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(did).toEqual([]);
  });

  it('records a call that was not declined as cancelled', async () => {
    const { pay } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }] });
    await app.say('Go.');
    expect(await cancel(app, {})).toEqual([
      { type: 'error', message: "The call of 'pay' was cancelled before it ran.", reason: 'cancelled' },
    ]);
  });

  it('keeps a result that arrived before the cancel, because the caller has run the tool', async () => {
    const app = createMemoryApp({ tools: [manual], replies: [{ calls: [{ name: 'note' }] }] });
    await app.say('Go.');
    const [question] = listOpenQuestions(await app.events(await openTurn(app)));
    if (!question) throw new Error('The turn has no open question.');
    const answer = { type: 'result', result: { type: 'text', content: 'Noted.' }, by: 'ann' } as const;
    await postAnswer(app, question, { answer, hash: 'h' });
    expect(await cancel(app, {})).toEqual([answer, answer.result]);
  });
});
