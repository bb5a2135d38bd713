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
import { does } from '../unfolding/scenes.ts';
import {
  agentOf,
  byPlace,
  closes,
  movedIn,
  openingDoors,
  opens,
  placeOf,
  SIGNS,
  sessionOf,
  TOOLS,
  thinks,
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
      thinks('One', opens('zoo')),
      async () => {
        await session.post('And?', { whenBusy: 'steer' });
        return thinks('Two', opens('bar', 'b'), closes('zoo'));
      },
      '',
      thinks('Three', ['zoo', {}]),
      '',
      thinks('Four'),
      thinks('Five', opens('bar')),
      thinks('Six'),
      thinks('Seven'),
    ]);
    await session.send('Go.');
    session.restart();
    await session.send('And now?');
    await session.send('And then?');
    expect(session.requests.map(movedIn)).toEqual(session.requests.map(() => []));
    expect(session.requests).toHaveLength(9);
  });

  it('stay the same after a rejected answer, and if the Worker is killed during a model call', async () => {
    const good = '{"total":1}';
    const all = [thinks('One', opens('zoo')), thinks('None.'), thinks(good), thinks(good)];
    const session: TestSession = sessionOf(
      byPlace({ 'Help.': all }, (place) => (place === 'Help. 1' || place === 'Help. 3') && session.kill()),
      { output: v.object({ total: v.number() }) },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await session.send('And?')).toMatchObject({ outcome: 'completed', object: { total: 1 } });
    expect(session.requests.flatMap(movedIn)).toEqual([]);
    expect(new Set(session.requests.map(placeOf)).size).toBe(4);
    expect(new Set(session.requests.map((request) => JSON.stringify(request))).size).toBe(4);
  });

  it('change if a deployment changes the instructions, but only for earlier replies', async () => {
    const app = appOf([thinks('One'), thinks('Two'), thinks('Three'), thinks('Four')]);
    await app.say('Go.');
    const agent = agentOf({ instructions: 'Help more.' });
    for (const message of ['And?', 'And now?', 'And then?']) await app.say(message, { agent });
    expect(app.model.requests.map(movedIn)).toEqual([[], ['One'], ['One'], ['One']]);
  });

  it('change if a deployment changes the definitions of tools', async () => {
    const app = appOf([thinks('One', opens('zoo')), thinks('Two'), thinks('Three'), thinks('Four')]);
    await app.say('Go.');
    await app.say('And?', { agent: agentOf({ tools: [...TOOLS, does('dig')] }) });
    // The model receives the added tool. This code does not know the earlier definition of the changed tool.
    const agent = agentOf({ tools: [...TOOLS, does('dig', undefined, 'Digs deeper.')] });
    await app.say('And now?', { agent });
    expect(app.model.requests.map(movedIn)).toEqual([[], [], [], ['One', 'Two', 'Three']]);
  });

  it('change with each tool change if the model receives no messages about changes', async () => {
    const { showToolsChanges: _, ...model } = SIGNS;
    const app = appOf([thinks('One', opens('zoo')), thinks('Two', ['zoo', {}]), thinks('Three')], {}, model);
    await app.say('Go.');
    expect(app.model.requests.map(movedIn)).toEqual([[], ['One'], ['One']]);
  });

  it('change for the replies after a result that is shortened', async () => {
    const big = does('big', () => 'x'.repeat(40_000));
    const replies = [
      thinks('One', ['big', {}]),
      thinks('Two', ['close', {}]),
      TOO_LONG,
      thinks('Three', ['close', {}]),
      thinks('Four'),
    ];
    const app = appOf(replies, { tools: [...TOOLS, big] });
    await app.say('Go.');
    expect(app.model.requests.map(movedIn)).toEqual([[], [], [], ['Two'], ['Two']]);
  });

  it('change if a summary replaces older messages', async () => {
    const compaction = summarize({ overTokens: 250, keepTurns: 1, summarize: listFirstWords });
    const app = appOf([thinks('One'), thinks('Two'), thinks('Three'), thinks('Four')], {
      use: [openingDoors, compaction],
    });
    for (const message of [longMessage('a'), longMessage('b'), longMessage('c'), 'd']) await app.say(message);
    expect(app.model.requests.map(movedIn)).toEqual([[], [], ['Two'], ['Three']]);
  });

  it('change where a transformer cuts the conversation', async () => {
    const cuts = defineTransformer({ name: 'cuts', messages: (all) => all.slice(-3) });
    const app = appOf([thinks('One'), thinks('Two'), thinks('Three')], { use: [openingDoors, cuts] });
    for (const message of ['Go.', 'And?', 'And now?']) await app.say(message);
    expect(app.model.requests.map(movedIn)).toEqual([[], [], ['Two']]);
  });

  it('change for the last reply at a limit, because the question for it is not kept', async () => {
    const app = appOf([thinks('One', opens('zoo')), thinks('Two'), thinks('Three')], {
      limits: { iterations: 1 },
    });
    await app.say('Go.');
    await app.say('And?');
    expect(app.model.requests.map(movedIn)).toEqual([[], [], ['Two']]);
  });

  it('are not tracked for a model without signatures', async () => {
    const app = appOf([thinks('One'), thinks('Two')], {}, { provider: 'maker' });
    await app.say('Go.');
    await app.say('And?', { agent: agentOf({ instructions: 'Help more.' }) });
    expect(JSON.stringify(app.model.requests)).not.toMatch(/prefix/i);
  });

  it('are tracked separately for each model of a fallback', async () => {
    const first = scriptedModel(
      [thinks('One', opens('zoo')), thinks('Two'), new ModelError('server-error', 'Down.')],
      SIGNS,
    );
    const second = scriptedModel([thinks('Three')], { name: 'other', provider: 'other' });
    const session = createTestSession(agentOf(), { model: fallback([first, second]) });
    await session.send('Go.');
    await session.send('And?');
    expect(
      first.requests.map((request) => [
        movedIn(request),
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
