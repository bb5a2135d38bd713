import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fallback, ModelError } from '../../../../src/index.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import {
  createTestSession,
  type ScriptedReply,
  scriptedModel,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { createLongMessage, joinFirstWords } from '../session/compaction-scene.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  createCloseCall,
  createOpenCall,
  createTestAgent,
  createThinkingReply,
  formatPlace,
  listMovedReplies,
  openingDoors,
  replyByPlace,
  SIGNING_OPTIONS,
  startSession,
  TOOLS,
} from './scenes.ts';

/** Returns an app whose code can change between turns. */
const createApp = (replies: readonly ScriptedReply[], more: object = {}, model: object = SIGNING_OPTIONS) =>
  createMemoryApp({
    replies,
    modelOptions: model,
    tools: TOOLS,
    use: [openingDoors],
    instructions: 'Help.',
    ...more,
  });

const TOO_LONG_ERROR = new ModelError('context-length', 'The conversation is too long.');

describe('the messages before a signed reply', () => {
  it('stay the same in a long turn with changing tools, after calls, steered messages and blank replies', async () => {
    const session = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      async () => {
        await session.post('And?', { whenBusy: 'steer' });
        return createThinkingReply('Two', createOpenCall('bar', 'b'), createCloseCall('zoo'));
      },
      '',
      createThinkingReply('Three', ['zoo', {}]),
      '',
      createThinkingReply('Four'),
      createThinkingReply('Five', createOpenCall('bar')),
      createThinkingReply('Six'),
      createThinkingReply('Seven'),
    ]);
    await session.send('Go.');
    session.restart();
    await session.send('And now?');
    await session.send('And then?');
    expect(session.requests.map(listMovedReplies)).toEqual(session.requests.map(() => []));
    expect(session.requests).toHaveLength(9);
  });

  it('stay the same after a rejected answer, and if the Worker is killed during a model call', async () => {
    const good = '{"total":1}';
    const all = [
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('None.'),
      createThinkingReply(good),
      createThinkingReply(good),
    ];
    const session: TestSession = startSession(
      replyByPlace(
        { 'Help.': all },
        (place) => (place === 'Help. 1' || place === 'Help. 3') && session.kill(),
      ),
      { output: v.object({ total: v.number() }) },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await session.send('And?')).toMatchObject({ outcome: 'completed', object: { total: 1 } });
    expect(session.requests.flatMap(listMovedReplies)).toEqual([]);
    expect(new Set(session.requests.map(formatPlace)).size).toBe(4);
    expect(new Set(session.requests.map((request) => JSON.stringify(request))).size).toBe(4);
  });

  it('change if a deployment changes the instructions, but only for earlier replies', async () => {
    const app = createApp([
      createThinkingReply('One'),
      createThinkingReply('Two'),
      createThinkingReply('Three'),
      createThinkingReply('Four'),
    ]);
    await app.say('Go.');
    const agent = createTestAgent({ instructions: 'Help more.' });
    for (const message of ['And?', 'And now?', 'And then?']) await app.say(message, { agent });
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], ['One'], ['One'], ['One']]);
  });

  it('change if a deployment changes the definitions of tools', async () => {
    const app = createApp([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two'),
      createThinkingReply('Three'),
      createThinkingReply('Four'),
    ]);
    await app.say('Go.');
    await app.say('And?', { agent: createTestAgent({ tools: [...TOOLS, createTool('dig')] }) });
    // The model receives the added tool. This code does not know the earlier definition of the changed tool.
    const agent = createTestAgent({ tools: [...TOOLS, createTool('dig', undefined, 'Digs deeper.')] });
    await app.say('And now?', { agent });
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], [], [], ['One', 'Two', 'Three']]);
  });

  it('change with each tool change if the model receives no messages about changes', async () => {
    const { showToolsChanges: _, ...model } = SIGNING_OPTIONS;
    const app = createApp(
      [
        createThinkingReply('One', createOpenCall('zoo')),
        createThinkingReply('Two', ['zoo', {}]),
        createThinkingReply('Three'),
      ],
      {},
      model,
    );
    await app.say('Go.');
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], ['One'], ['One']]);
  });

  it('change for the replies that follow a shortened result', async () => {
    const big = createTool('big', () => 'x'.repeat(40_000));
    const replies = [
      createThinkingReply('One', ['big', {}]),
      createThinkingReply('Two', ['close', {}]),
      TOO_LONG_ERROR,
      createThinkingReply('Three', ['close', {}]),
      createThinkingReply('Four'),
    ];
    const app = createApp(replies, { tools: [...TOOLS, big] });
    await app.say('Go.');
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], [], [], ['Two'], ['Two']]);
  });

  it('change if a summary replaces older messages', async () => {
    const compaction = summarize({ overTokens: 250, keepTurns: 1, summarize: joinFirstWords });
    const app = createApp(
      [
        createThinkingReply('One'),
        createThinkingReply('Two'),
        createThinkingReply('Three'),
        createThinkingReply('Four'),
      ],
      {
        use: [openingDoors, compaction],
      },
    );
    for (const message of [createLongMessage('a'), createLongMessage('b'), createLongMessage('c'), 'd'])
      await app.say(message);
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], [], ['Two'], ['Three']]);
  });

  it('change after the point where a transformer cuts the conversation', async () => {
    const cuts = defineTransformer({ name: 'cuts', messages: (all) => all.slice(-3) });
    const app = createApp(
      [createThinkingReply('One'), createThinkingReply('Two'), createThinkingReply('Three')],
      {
        use: [openingDoors, cuts],
      },
    );
    for (const message of ['Go.', 'And?', 'And now?']) await app.say(message);
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], [], ['Two']]);
  });

  it('change for the last reply at a limit, because the request for it is not kept', async () => {
    const app = createApp(
      [
        createThinkingReply('One', createOpenCall('zoo')),
        createThinkingReply('Two'),
        createThinkingReply('Three'),
      ],
      {
        limits: { iterations: 1 },
      },
    );
    await app.say('Go.');
    await app.say('And?');
    expect(app.model.requests.map(listMovedReplies)).toEqual([[], [], ['Two']]);
  });

  it('are not tracked for a model without signatures', async () => {
    const app = createApp(
      [createThinkingReply('One'), createThinkingReply('Two')],
      {},
      { provider: 'maker' },
    );
    await app.say('Go.');
    await app.say('And?', { agent: createTestAgent({ instructions: 'Help more.' }) });
    expect(JSON.stringify(app.model.requests)).not.toMatch(/prefix/i);
  });

  it('are tracked separately for each model of a fallback', async () => {
    const first = scriptedModel(
      [
        createThinkingReply('One', createOpenCall('zoo')),
        createThinkingReply('Two'),
        new ModelError('server-error', 'Down.'),
      ],
      SIGNING_OPTIONS,
    );
    const second = scriptedModel([createThinkingReply('Three')], { name: 'other', provider: 'other' });
    const session = createTestSession(createTestAgent(), { model: fallback([first, second]) });
    await session.send('Go.');
    await session.send('And?');
    expect(
      first.requests.map((request) => [
        listMovedReplies(request),
        request.messages.filter(({ role }) => role === 'system').length,
      ]),
    ).toEqual([
      [[], 1],
      [[], 2],
      [[], 2],
    ]);
    // A model that receives no messages about changes sees only the list, and no signed content of another
    // model.
    expect(second.requests[0]?.messages.filter(({ role }) => role === 'system')).toHaveLength(1);
    expect(JSON.stringify(second.requests)).not.toMatch(/prefix/i);
  });
});
