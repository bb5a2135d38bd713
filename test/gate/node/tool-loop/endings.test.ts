import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, error, type Limits, ModelError } from '../../../../src/index.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { NUDGE } from '../../../doors/loop.ts';
import { type FeedItem, LIVE_TEXT_PARTS } from '../../../doors/session.ts';
import { callResults } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

async function runTurn(
  replies: readonly ScriptedReply[],
  tools: readonly AnyTool[] = [look],
  limits?: Limits,
) {
  const app = createMemoryApp({ tools, replies, limits });
  return { app, end: await app.say('Go.') };
}

describe('a turn without calls', () => {
  it('is completed with the text of its reply (LOOP-06)', async () => {
    expect((await runTurn(['Hello.'])).end).toMatchObject({
      turn: {
        outcome: 'completed',
        text: 'Hello.',
        iterations: 1,
        usage: { inputTokens: 10, outputTokens: 5 },
      },
    });
  });
});

describe('a blank reply', () => {
  it('is followed by one more request with a nudge, and is never sent back empty (EMP-02, EMP-03, EMP-04)', async () => {
    const { app, end } = await runTurn([' \n', 'Here I am.']);
    expect(app.model.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: '(no response)', toolCalls: [] },
      {
        role: 'user',
        text:
          'Your previous turn produced no response. Take ONE concrete action that progresses toward answering the ' +
          "user's most recent question — either call a tool to gather what you still need, or write the answer using " +
          'the information you already have. Do not stay silent.',
      },
    ]);
    expect(end).toMatchObject({ turn: { outcome: 'completed', text: 'Here I am.', iterations: 2 } });
  });

  it('fails the turn if it is the second in a row', async () => {
    expect((await runTurn(['', ''])).end).toMatchObject({
      turn: {
        outcome: 'failed',
        text: '',
        error: {
          type: 'empty-reply',
          message: 'The model returned an empty reply, even after it was asked once more.',
        },
      },
    });
  });

  it('is counted from zero again after a call (EMP-05)', async () => {
    const { end, app } = await runTurn(['', callTools('look'), '', 'Done.']);
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
    expect(app.model.requests[3]?.messages.filter((m) => m.role === 'user' && m.text === NUDGE)).toHaveLength(
      2,
    );
  });
});

describe('tools that return directly', () => {
  const createDirectTool = (name: string, run: () => unknown) =>
    defineTool({ name, description: 'Answers.', effect: 'read', returnDirect: true, run });
  const policy = createDirectTool('policy', () => 'Thirty days.');
  const price = createDirectTool('price', () => ({ eur: 5 }));

  it('end the turn with their results in source order, without another model call (LOOP-11)', async () => {
    const { app, end } = await runTurn([callTools('policy', 'price')], [policy, price]);
    expect(end).toMatchObject({
      turn: {
        outcome: 'returned-direct',
        text: 'Thirty days.\n{"eur":5}',
        artifacts: [{ tool: 'price', value: { eur: 5 } }],
      },
    });
    expect(app.model.requests).toHaveLength(1);
  });

  it('do not end the turn if another tool in the batch does not return directly (LOOP-11)', async () => {
    const { end } = await runTurn([callTools('policy', 'look'), 'Done.'], [policy, look]);
    expect(end).toMatchObject({ turn: { outcome: 'completed', text: 'Done.' } });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('No.');
      },
    ],
    ['returns an error', () => error('No.')],
  ])('lead to another model call if one of them %s (LOOP-10)', async (_, run) => {
    const { app, end } = await runTurn(
      [callTools('policy', 'fails'), 'Sorry.'],
      [policy, createDirectTool('fails', run)],
    );
    expect(end).toMatchObject({ turn: { outcome: 'completed', text: 'Sorry.' } });
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'Error: No.' });
  });
});

describe('the limit of iterations', () => {
  const limits = { iterations: 2 };
  const stop =
    'STOP: Maximum tool iterations (2) reached. You must provide your best final answer now based on information ' +
    'gathered so far.';

  it('leads to one more model call for the best answer, with the same tools and the tool choice `none` (AEL-05)', async () => {
    const { app, end } = await runTurn([callTools('look'), callTools('look'), 'My best.'], [look], limits);
    expect(app.model.requests[2]?.tools).toEqual(app.model.requests[1]?.tools);
    expect(app.model.requests.map(({ settings }) => settings)).toEqual([
      undefined,
      undefined,
      { toolChoice: 'none' },
    ]);
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: stop });
    expect(end).toMatchObject({
      turn: { outcome: 'limit-reached', text: 'My best.', iterations: 3, toolCalls: 2 },
    });
  });

  it('leads to a request without tools if the model does not support the tool choice `none` (AEL-05)', async () => {
    const app = createMemoryApp({
      tools: [look],
      replies: [callTools('look'), callTools('look'), 'My best.'],
      limits,
      modelOptions: { heedsToolChoice: false },
    });
    await app.say('Go.');
    expect(app.model.requests.map(({ tools, settings }) => [tools.length, settings])).toEqual([
      [1, undefined],
      [1, undefined],
      [0, undefined],
    ]);
  });

  it('is not reached if the model answers in its last iteration', async () => {
    expect((await runTurn([callTools('look'), 'Done.'], [look], limits)).end).toMatchObject({
      turn: { outcome: 'completed' },
    });
  });

  it('ignores calls that a model makes despite the tool choice `none`', async () => {
    const { app, end } = await runTurn(
      [callTools('look'), callTools('look'), { text: 'So far.', ...callTools('look') }],
      [look],
      limits,
    );
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'So far.', toolCalls: 2 } });
    expect(callResults((await app.state()).messages)).toHaveLength(2);
  });

  it('does not appear in the later conversation', async () => {
    const { app } = await runTurn(
      [callTools('look'), callTools('look'), 'My best.', 'Next.'],
      [look],
      limits,
    );
    await app.say('And now?');
    expect(JSON.stringify(app.model.requests[3]?.messages)).not.toContain('STOP');
  });
});

describe('a failing model', () => {
  const broken = new ModelError('server-error', 'The model server answered 500.', { status: 500 });
  const halfway = new ModelError('truncated', 'The reply broke off.', { outputBegan: true });

  it('fails the turn, whose message is kept, and a new message continues the session', async () => {
    const { app, end } = await runTurn([broken, 'Better.']);
    expect(end).toMatchObject({
      turn: {
        outcome: 'failed',
        error: { type: 'model-failure', message: 'The model server answered 500.' },
      },
    });
    expect(await app.say('Again?')).toMatchObject({ turn: { outcome: 'completed', text: 'Better.' } });
    expect(app.model.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go.' },
      { role: 'user', text: '[The last message was not answered.]' },
      { role: 'user', text: 'Again?' },
    ]);
  });

  it('is called a second time if its output had started, and clients learn that the output restarts', async () => {
    const app = createMemoryApp({ replies: [halfway, { text: 'All.', pieces: ['All.'] }] });
    const shown: FeedItem[] = [];
    expect(await app.say('Go.', { show: (item) => shown.push(item) })).toMatchObject({
      turn: { text: 'All.' },
    });
    expect(shown.filter(({ type }) => type !== 'event')).toEqual([
      { type: 'reply-restarted', reply: '1.2' },
      { type: 'text-delta', reply: '1.2', text: 'All.' },
    ]);
  });

  it('is not called a third time', async () => {
    const { app, end } = await runTurn([halfway, halfway, 'Never.']);
    expect(app.model.requests).toHaveLength(2);
    expect(end).toMatchObject({ turn: { outcome: 'failed', error: { type: 'model-failure' } } });
  });

  it.each([
    [
      'a model with live text streams even without watchers, until its stream breaks off',
      LIVE_TEXT_PARTS,
      true,
    ],
    ['a model without live text does not stream if there are no watchers', {}, false],
  ])('%s', async (_, host, isStreamed) => {
    const streams: boolean[] = [];
    const model = {
      name: 'm',
      ask: async (_: unknown, { onText }: { readonly onText?: ((piece: string) => void) | undefined }) => {
        onText?.('H');
        if (streams.push(onText !== undefined) === 1) throw halfway;
        return { text: 'Hi.', toolCalls: [], finish: 'stop' as const };
      },
    };
    const app = createMemoryApp({ replies: [] });
    await app.say('Go.', { agent: { ...app.agent, model: undefined }, model, ...host });
    expect(streams).toEqual([isStreamed, false]);
  });
});
