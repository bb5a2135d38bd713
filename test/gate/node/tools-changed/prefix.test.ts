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
import { listFirstWords, longMessage } from '../session/compaction-scene.ts';
import { memoryApp } from '../session/memory-app.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  agentOf,
  byPlace,
  closeCall,
  movedCallsIn,
  openCall,
  openingDoors,
  placeOf,
  SIGNS,
  sessionOf,
  TOOLS,
  thinkingReply,
} from './scenes.ts';

/** Returns an app whose code can change between turns. */
const appOf = (replies: readonly ScriptedReply[], more: object = {}, model: object = SIGNS) =>
  memoryApp({
    replies,
    modelOptions: model,
    tools: TOOLS,
    use: [openingDoors],
    instructions: 'Help.',
    ...more,
  });

const TOO_LONG = new ModelError('context-length', 'The conversation is too long.');

describe('the messages before a signed reply', () => {
  it('stay the same in a long turn with changing tools, after calls, steered messages and blank replies', async () => {
    const session = sessionOf([
      thinkingReply('One', openCall('zoo')),
      async () => {
        await session.post('And?', { whenBusy: 'steer' });
        return thinkingReply('Two', openCall('bar', 'b'), closeCall('zoo'));
      },
      '',
      thinkingReply('Three', ['zoo', {}]),
      '',
      thinkingReply('Four'),
      thinkingReply('Five', openCall('bar')),
      thinkingReply('Six'),
      thinkingReply('Seven'),
    ]);
    await session.send('Go.');
    session.restart();
    await session.send('And now?');
    await session.send('And then?');
    expect(session.requests.map(movedCallsIn)).toEqual(session.requests.map(() => []));
    expect(session.requests).toHaveLength(9);
  });

  it('stay the same after a rejected answer, and if the Worker is killed during a model call', async () => {
    const good = '{"total":1}';
    const all = [
      thinkingReply('One', openCall('zoo')),
      thinkingReply('None.'),
      thinkingReply(good),
      thinkingReply(good),
    ];
    const session: TestSession = sessionOf(
      byPlace({ 'Help.': all }, (place) => (place === 'Help. 1' || place === 'Help. 3') && session.kill()),
      { output: v.object({ total: v.number() }) },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await session.send('And?')).toMatchObject({ outcome: 'completed', object: { total: 1 } });
    expect(session.requests.flatMap(movedCallsIn)).toEqual([]);
    expect(new Set(session.requests.map(placeOf)).size).toBe(4);
    expect(new Set(session.requests.map((request) => JSON.stringify(request))).size).toBe(4);
  });

  it('change if a deployment changes the instructions, but only for earlier replies', async () => {
    const app = appOf([
      thinkingReply('One'),
      thinkingReply('Two'),
      thinkingReply('Three'),
      thinkingReply('Four'),
    ]);
    await app.say('Go.');
    const agent = agentOf({ instructions: 'Help more.' });
    for (const message of ['And?', 'And now?', 'And then?']) await app.say(message, { agent });
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], ['One'], ['One'], ['One']]);
  });

  it('change if a deployment changes the definitions of tools', async () => {
    const app = appOf([
      thinkingReply('One', openCall('zoo')),
      thinkingReply('Two'),
      thinkingReply('Three'),
      thinkingReply('Four'),
    ]);
    await app.say('Go.');
    await app.say('And?', { agent: agentOf({ tools: [...TOOLS, createTool('dig')] }) });
    // The model receives the added tool. This code does not know the earlier definition of the changed tool.
    const agent = agentOf({ tools: [...TOOLS, createTool('dig', undefined, 'Digs deeper.')] });
    await app.say('And now?', { agent });
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], [], [], ['One', 'Two', 'Three']]);
  });

  it('change with each tool change if the model receives no messages about changes', async () => {
    const { showToolsChanges: _, ...model } = SIGNS;
    const app = appOf(
      [thinkingReply('One', openCall('zoo')), thinkingReply('Two', ['zoo', {}]), thinkingReply('Three')],
      {},
      model,
    );
    await app.say('Go.');
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], ['One'], ['One']]);
  });

  it('change for the replies after a result that is shortened', async () => {
    const big = createTool('big', () => 'x'.repeat(40_000));
    const replies = [
      thinkingReply('One', ['big', {}]),
      thinkingReply('Two', ['close', {}]),
      TOO_LONG,
      thinkingReply('Three', ['close', {}]),
      thinkingReply('Four'),
    ];
    const app = appOf(replies, { tools: [...TOOLS, big] });
    await app.say('Go.');
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], [], [], ['Two'], ['Two']]);
  });

  it('change if a summary replaces older messages', async () => {
    const compaction = summarize({ overTokens: 250, keepTurns: 1, summarize: listFirstWords });
    const app = appOf(
      [thinkingReply('One'), thinkingReply('Two'), thinkingReply('Three'), thinkingReply('Four')],
      {
        use: [openingDoors, compaction],
      },
    );
    for (const message of [longMessage('a'), longMessage('b'), longMessage('c'), 'd']) await app.say(message);
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], [], ['Two'], ['Three']]);
  });

  it('change where a transformer cuts the conversation', async () => {
    const cuts = defineTransformer({ name: 'cuts', messages: (all) => all.slice(-3) });
    const app = appOf([thinkingReply('One'), thinkingReply('Two'), thinkingReply('Three')], {
      use: [openingDoors, cuts],
    });
    for (const message of ['Go.', 'And?', 'And now?']) await app.say(message);
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], [], ['Two']]);
  });

  it('change for the last reply at a limit, because the question for it is not kept', async () => {
    const app = appOf([thinkingReply('One', openCall('zoo')), thinkingReply('Two'), thinkingReply('Three')], {
      limits: { iterations: 1 },
    });
    await app.say('Go.');
    await app.say('And?');
    expect(app.model.requests.map(movedCallsIn)).toEqual([[], [], ['Two']]);
  });

  it('are not tracked for a model without signatures', async () => {
    const app = appOf([thinkingReply('One'), thinkingReply('Two')], {}, { provider: 'maker' });
    await app.say('Go.');
    await app.say('And?', { agent: agentOf({ instructions: 'Help more.' }) });
    expect(JSON.stringify(app.model.requests)).not.toMatch(/prefix/i);
  });

  it('are tracked separately for each model of a fallback', async () => {
    const first = scriptedModel(
      [thinkingReply('One', openCall('zoo')), thinkingReply('Two'), new ModelError('server-error', 'Down.')],
      SIGNS,
    );
    const second = scriptedModel([thinkingReply('Three')], { name: 'other', provider: 'other' });
    const session = createTestSession(agentOf(), { model: fallback([first, second]) });
    await session.send('Go.');
    await session.send('And?');
    expect(
      first.requests.map((request) => [
        movedCallsIn(request),
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
