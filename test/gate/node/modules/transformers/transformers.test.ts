import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type AnyTool, defineAgent, defineTool, error } from '../../../../../src/index.ts';
import type { HistoryMessage } from '../../../../../src/kinds/entry.ts';
import { defineSubagent } from '../../../../../src/kinds/entry.ts';
import {
  defineTransformer,
  slidingWindow,
  truncateToolResults,
} from '../../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../../src/testing/entry.ts';
import type { ModuleUse } from '../../../../doors/tools.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from '../../tool-loop/scenes.ts';

const createTestAgent = (tools: readonly AnyTool[], ...use: ModuleUse[]) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, use });

const upperTransformer = defineTransformer({ name: 'upper', result: (text) => text.toUpperCase() });
const mark = defineTransformer({ name: 'mark', result: (text, { name }) => `${name}: ${text}` });

let logSpy: MockInstance;
beforeEach(() => {
  logSpy = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => logSpy.mockRestore());

describe('a transformer', () => {
  it('changes the results that the model sees, after the previous transformers (CBK-02)', async () => {
    const agent = createTestAgent([createReadingTool('look', () => 'seen')], upperTransformer, mark);
    const session = createTestSession(agent, { replies: [callTools('look'), 'Done.'] });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['look: SEEN']);
  });

  it('does not change the journal: without it, the model sees the original result (RES-04)', async () => {
    const session = createTestSession(
      createTestAgent([createReadingTool('look', () => ({ seen: 1 }))], upperTransformer),
      {
        replies: [callTools('look'), 'Done.'],
      },
    );
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['{"SEEN":1}']);
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [{ ended: { result: { type: 'artifact', value: { seen: 1 } } } }],
    });
  });

  it('receives the message of an error, and the result stays an error for the model', async () => {
    const session = createTestSession(
      createTestAgent([createReadingTool('look', () => error('too dark'))], upperTransformer),
      {
        replies: [callTools('look'), 'Done.'],
      },
    );
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['Error: TOO DARK']);
  });

  it('receives the text that the model sees for a tool that does not exist (TNF-07)', async () => {
    const session = createTestSession(createTestAgent([createReadingTool('look')], mark), {
      replies: [callTools('fly'), 'Done.'],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])[0]).toMatch(/^Error: fly: Tool 'fly' does not exist\./);
  });

  it('changes the whole conversation before each model call (CBK-02)', async () => {
    const forget = defineTransformer({
      name: 'forget',
      messages: (messages) => messages.filter(({ text }) => !text.includes('secret')),
    });
    const session = createTestSession(createTestAgent([], forget), { replies: ['I know.', 'What?'] });
    await session.send('The secret is 7.');
    await session.send('And?');
    expect(session.requests[1]?.messages).toEqual([
      { role: 'system', text: 'Work.' },
      { role: 'assistant', text: 'I know.', toolCalls: [] },
      { role: 'user', text: 'And?' },
    ]);
  });

  it('leaves an error in place of a result that it removes without the call (CBK-07)', async () => {
    const lose = defineTransformer({
      name: 'lose',
      messages: (messages) =>
        messages.map((message): HistoryMessage => {
          if (message.role === 'user') return message;
          return { ...message, calls: message.calls.map(({ id, name, input }) => ({ id, name, input })) };
        }),
    });
    const session = createTestSession(createTestAgent([createReadingTool('look')], lose), {
      replies: [callTools('look'), 'Done.'],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['Error: There is no result for this call.']);
  });

  it('changes the text of replies in the conversation and in the answer (CBK-02)', async () => {
    const unthink = defineTransformer({
      name: 'unthink',
      reply: (text) => text.replaceAll(/<think>.*?<\/think>/g, ''),
    });
    const session = createTestSession(createTestAgent([], unthink), {
      replies: ['<think>Hm.</think>Six.', 'Seven.'],
    });
    expect(await session.send('Go.')).toMatchObject({ text: 'Six.' });
    await session.send('More.');
    expect(session.requests[1]?.messages[2]).toEqual({ role: 'assistant', text: 'Six.', toolCalls: [] });
    expect((await session.state()).messages[1]).toMatchObject({ text: '<think>Hm.</think>Six.' });
    const ends = (await session.events()).filter((event) => event.type === 'turn-ended');
    expect(ends).toMatchObject([{ text: 'Six.' }, {}]);
    expect(ends[1]).not.toHaveProperty('text');
  });

  it('changes the answer before it is parsed as the output of the agent', async () => {
    const unfence = defineTransformer({
      name: 'unthink',
      reply: (text) => text.replace('<think>Hm.</think>', ''),
    });
    const agent = defineAgent({
      ...{ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [] },
      use: [unfence],
      output: v.object({ n: v.number() }),
    });
    const session = createTestSession(agent, { replies: ['<think>Hm.</think>{"n":6}'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', object: { n: 6 } });
  });

  it('changes a directly returned result if it transforms results, unless it shortens them (LOOP-10)', async () => {
    const last = createReadingTool('last', () => 'a long story', { returnDirect: true });
    const session = createTestSession(
      createTestAgent([last], truncateToolResults({ maxLength: 3 }), upperTransformer),
      {
        replies: [callTools('last'), 'Done.'],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: 'A LONG STORY' });
    await session.send('And?');
    expect(getShownResults(session.requests[1])).toEqual(['A L\n... [TRUNCATED, 3 CHARS SHOWN]']);
  });

  it('applies to nested loops and their answers', async () => {
    const shout = defineTransformer({ name: 'shout', reply: (text) => `${text}!` });
    const session = createTestSession(
      createTestAgent(
        [createDiggingTool([createReadingTool('look', () => 'seen')])],
        upperTransformer,
        shout,
      ),
      {
        replies: [callTools('dig'), callTools('look'), 'Dug', 'Done'],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ text: 'Done!' });
    expect(getShownResults(session.requests[2])).toEqual(['SEEN']);
    expect(getShownResults(session.requests[3])).toEqual(['COMPLETED: DUG!']);
  });

  it('receives the turn’s principal, in nested loops and for their answers too', async () => {
    const forOne = defineTransformer({
      name: 'for-one',
      messages: (messages, { principal }) =>
        messages.map((one) => (one.role === 'user' ? { ...one, text: `${principal.id}: ${one.text}` } : one)),
      result: (text, _, { principal }) => `${text} (${principal.roles?.join()})`,
      reply: (text, { principal }) => `${text}, ${principal.id}`,
    });
    const nested = defineSubagent({
      agent: createTestAgent([createReadingTool('look', () => 'seen')], forOne),
    });
    const session = createTestSession(createTestAgent([nested]), {
      replies: [
        { calls: [{ name: 'clerk', input: { message: 'Look.' } }] },
        callTools('look'),
        'Seen',
        'Done',
      ],
      principal: { id: 'ana', roles: ['chief'] },
    });
    expect(await session.send('Go.')).toMatchObject({ text: 'Done' });
    expect(getShownResults(session.requests[2])).toEqual(['seen (chief)']);
    expect(session.requests[2]?.messages[1]).toMatchObject({ text: expect.stringMatching(/^ana: /) });
    expect(getShownResults(session.requests[3])).toEqual(['Seen, ana']);
  });

  it.each<[string, ModuleUse]>([
    [
      'throws',
      defineTransformer({
        name: 'bad',
        messages: () => {
          throw new Error('No.');
        },
        result: () => {
          throw new Error('No.');
        },
        reply: () => {
          throw new Error('No.');
        },
      }),
    ],
    [
      'returns an invalid value',
      defineTransformer({
        name: 'bad',
        messages: (() => 'all') as never, // what the types forbid
        result: (() => undefined) as never,
        reply: (() => 7) as never,
      }),
    ],
  ])('leaves its input unchanged if it %s, which is logged (CBK-03)', async (_, bad) => {
    const session = createTestSession(
      createTestAgent([createReadingTool('look', () => 'seen')], bad, upperTransformer),
      {
        replies: [callTools('look'), 'Done.'],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownResults(session.requests[1])).toEqual(['SEEN']);
    expect(session.requests[1]?.messages).toHaveLength(4);
    expect(logSpy).toHaveBeenCalledWith(
      "holdfast: the transformer 'bad' failed; its input stays unchanged",
      expect.any(Error),
    );
  });

  it('runs again in the invocation that continues the turn, because its results are not stored', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'idempotent',
      run: () => 'seen',
    });
    const killAndReply: ScriptedReply = () => {
      session.kill();
      return 'lost';
    };
    const session = createTestSession(createTestAgent([look, createReadingTool('see')], upperTransformer), {
      replies: [callTools('look'), callTools('look'), killAndReply, 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(session.requests).toHaveLength(4);
    expect(getShownResults(session.requests[3])[0]).toBe('SEEN');
  });
});

describe('the history of a call', () => {
  const seen: (readonly HistoryMessage[])[] = [];
  const remember = createReadingTool('remember', ({ history }) => {
    seen.push(history());
    return 'noted';
  });
  beforeEach(() => void seen.splice(0));

  it('is the conversation that the model saw, and the reply with the call (SPA-08)', async () => {
    const agent = createTestAgent([createReadingTool('look', () => 'seen'), remember], upperTransformer);
    const session = createTestSession(agent, {
      replies: [callTools('look'), callTools('remember'), 'Done.'],
    });
    const { turn } = await session.send('Go.');
    expect(seen).toEqual([
      [
        { role: 'user', text: 'Go.' },
        {
          role: 'assistant',
          text: '',
          calls: [
            { id: `${turn}.3.0`, name: 'look', input: '{}', result: { type: 'text', content: 'SEEN' } },
          ],
        },
        { role: 'assistant', text: '', calls: [{ id: `${turn}.8.0`, name: 'remember', input: '{}' }] },
      ],
    ]);
  });

  it('omits the messages that a window has dropped (CBK-06)', async () => {
    const agent = createTestAgent([createReadingTool('look'), remember], slidingWindow({ maxMessages: 3 }));
    const replies = [callTools('look'), callTools('look'), callTools('remember'), 'Done.'];
    const session = createTestSession(agent, { replies });
    await session.send('Go.');
    expect(
      seen[0]?.map((message) => (message.role === 'user' ? message.text : message.calls.length)),
    ).toEqual(['Go.', 1, 1]);
  });

  it('is created only on request, and each time as a new copy (SPA-08)', async () => {
    let asked = 0;
    const counting = defineTransformer({
      name: 'counting',
      messages: (messages) => {
        asked += 1;
        return messages;
      },
    });
    const reading = createReadingTool('reading', ({ history }) => {
      const first = history();
      Object.assign(first[1]?.role === 'assistant' ? (first[1].calls[0]?.result ?? {}) : {}, {
        content: 'spoilt',
      });
      (first as HistoryMessage[]).splice(0);
      return history().length;
    });
    const session = createTestSession(createTestAgent([createReadingTool('look'), reading], counting), {
      replies: [callTools('look'), callTools('reading'), 'Done.'],
    });
    await session.send('Go.');
    expect(asked).toBe(3 + 2);
    expect(getShownResults(session.requests[2])).toEqual(['look done', '3']);
  });
});
