import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { showToolsChanges } from '../../../../src/model/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { initialToolsOf } from '../../../doors/model.ts';
import { memoryApp } from '../session/memory-app.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  agentOf,
  changesOf,
  changesToldIn,
  closeCall,
  extendsIt,
  joinNames,
  openCall,
  openingDoors,
  sessionOf,
  TOOLS,
  thinkingReply,
} from './scenes.ts';

describe('a model that receives tool changes', () => {
  it('receives a change before the reply that used it, and last in the first request with it', async () => {
    const replies = [
      thinkingReply('One', openCall('zoo')),
      thinkingReply('Two', openCall('bar', 'b')),
      thinkingReply('Three', closeCall('zoo')),
      'Four',
    ];
    const session = sessionOf(replies);
    await session.send('Go.');
    expect(session.requests.map(changesToldIn)).toEqual([
      [],
      ['4 +zoo'],
      ['4 +zoo', '7 +bar'],
      ['4 +zoo', '7 +bar', '10 -zoo'],
    ]);
    const { messages, tools } = session.requests[3] ?? { messages: [], tools: [] };
    expect(messages[4]).toEqual({
      role: 'system',
      text: '',
      toolsChange: {
        came: [{ name: 'zoo', description: 'Does zoo a.', inputSchema: TOOLS[0]?.inputSchema }],
        went: [],
      },
    });
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      ...['assistant', 'tool', 'system'],
      ...['assistant', 'tool', 'system'],
      ...['assistant', 'tool', 'system'],
    ]);
    expect(joinNames(tools)).toBe('close open bar');
  });

  it('receives a change after the request for its last answer', async () => {
    const session = sessionOf([thinkingReply('One', openCall('zoo')), 'Two'], { limits: { iterations: 1 } });
    await session.send('Go.');
    const { messages = [] } = session.requests[1] ?? {};
    expect(messages.slice(-2)).toEqual([
      { role: 'user', text: expect.stringMatching(/^STOP: /) },
      { role: 'system', text: '', toolsChange: expect.anything() },
    ]);
  });

  it('receives redefined and returning tools, and each request starts with the same tools', async () => {
    const replies = [
      thinkingReply('One', openCall('zoo')),
      thinkingReply('Two', openCall('zoo', 'b')),
      thinkingReply('Three', closeCall('zoo')),
      thinkingReply('Four', openCall('zoo'), openCall('car')),
      'Five',
    ];
    const session = sessionOf(replies);
    await session.send('Go.');
    expect(session.requests.map(changesToldIn).at(-1)).toEqual([
      '4 +zoo',
      '7 +zoo -zoo',
      '10 -zoo',
      '14 +car +zoo',
    ]);
    const bases = session.requests.map(({ messages, tools }) => initialToolsOf(messages, tools));
    expect(joinNames(bases[0])).toBe('close open');
    for (const base of bases) expect(base).toEqual(bases[0]);
  });

  it('receives no change that was reverted before the next reply', async () => {
    const session = sessionOf([
      thinkingReply('One', openCall('zoo')),
      thinkingReply('Two', closeCall('zoo')),
      new ModelError('bad-request', 'No.'),
      thinkingReply('Three', openCall('zoo')),
      'Four',
    ]);
    await session.send('Go.');
    await session.send('And?');
    expect(
      (await changesOf(session)).map(({ came, went, cause }) => [joinNames(came), joinNames(went), cause]),
    ).toEqual([
      ['zoo', '', 'session'],
      ['', 'zoo', 'session'],
      ['zoo', '', 'session'],
    ]);
    // The failed turn contained this change but no reply to it, so the change precedes the message of the
    // next turn.
    expect(session.requests.slice(2).map(changesToldIn)).toEqual([
      ['4 +zoo', '7 -zoo'],
      ['4 +zoo', '7 -zoo'],
      ['4 +zoo', '7 -zoo', '11 +zoo'],
    ]);
  });

  it('receives no tool whose definition is lost, and no change before it', async () => {
    // The inner tools are created for each offer, and are unknown once the unfolding tool has closed.
    const files = defineUnfolding({
      name: 'files',
      description: 'Files.',
      tools: () => [createTool('read')],
    });
    const session = sessionOf(
      [
        thinkingReply('One', ['files', {}]),
        thinkingReply('Two', openCall('zoo')),
        'Three',
        thinkingReply('Four', openCall('bar')),
        'Five',
      ],
      {
        tools: [...TOOLS, files],
      },
    );
    await session.send('Go.');
    await session.send('And?');
    expect(session.requests.map(changesToldIn)).toEqual([
      [],
      ['4 +files +read -files'],
      ['4 +files +read -files', '7 +zoo'],
      // The turn has ended, which closes `files`.
      [],
      ['10 +bar'],
    ]);
    for (const { messages, tools } of session.requests.slice(3)) {
      expect(joinNames(initialToolsOf(messages, tools))).toBe('close files open zoo');
    }
  });

  it('receives the change when an unfolding tool closes, with its earlier definition, in any Worker', async () => {
    const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('read')] });
    const session = sessionOf([thinkingReply('One', ['files', {}]), 'Two', 'Three'], {
      tools: [...TOOLS, files],
    });
    await session.send('Go.');
    await session.send('And?');
    expect(session.requests.map(changesToldIn)).toEqual([
      [],
      ['4 +files +read -files'],
      ['4 +files +read -files', '7 +files -files -read'],
    ]);
  });

  it('receives the changes after one that a transformer removed, and none before it', async () => {
    const cuts = defineTransformer({
      name: 'cuts',
      messages: (all) => all.filter((message) => message.role === 'user' || message.text !== 'Three'),
    });
    const replies = [
      thinkingReply('One', openCall('zoo')),
      thinkingReply('Two', openCall('bar')),
      thinkingReply('Three', openCall('car')),
      thinkingReply('Four', closeCall('zoo')),
      'Five',
    ];
    const session = sessionOf(replies, { use: [openingDoors, cuts] });
    await session.send('Go.');
    expect(session.requests.map(changesToldIn)).toEqual([
      [],
      ['4 +zoo'],
      ['4 +zoo', '7 +bar'],
      ['6 +car'],
      ['6 +car', '9 -zoo'],
    ]);
    const last = session.requests.at(-1);
    expect(joinNames(initialToolsOf(last?.messages ?? [], last?.tools ?? []))).toBe('bar close open zoo');
  });

  it('receives no changes in a request that omits the tools', async () => {
    const session = sessionOf(
      [thinkingReply('One', openCall('zoo')), 'Two'],
      { limits: { iterations: 1 } },
      { showToolsChanges, heedsToolChoice: false },
    );
    await session.send('Go.');
    expect(session.requests.map((request) => [changesToldIn(request), joinNames(request.tools)])).toEqual([
      [[], 'close open'],
      [[], ''],
    ]);
  });

  it('receives the changes of a deployment between two turns, and each request extends the previous one', async () => {
    const app = memoryApp({
      replies: [thinkingReply('One', openCall('zoo')), 'Two', 'Three', 'Four'],
      modelOptions: { showToolsChanges },
      tools: TOOLS,
      use: [openingDoors],
      instructions: 'Help.',
    });
    await app.say('Go.');
    const agent = agentOf({ tools: [...TOOLS, createTool('dig')] });
    await app.say('And?', { agent });
    await app.say('And now?', {
      agent: agentOf({ tools: [...TOOLS, createTool('dig', undefined, 'Digs deeper.')] }),
    });
    expect(
      (await changesOf(app)).map(({ came, went, cause, all }) => [
        joinNames(came),
        joinNames(went),
        cause,
        all && joinNames(all),
      ]),
    ).toEqual([
      ['zoo', '', 'session', 'close open zoo'],
      ['dig', '', 'turn', undefined],
      ['dig', 'dig', 'turn', undefined],
    ]);
    const [first, second, third, last] = app.model.requests;
    if (!first || !second || !third || !last) throw new Error('There must be more requests.');
    expect([extendsIt(first, second), extendsIt(second, third)]).toEqual([true, true]);
    expect(changesToldIn(third)).toEqual(['4 +zoo', '7 +dig']);
    // This code does not know the earlier definition of `dig`.
    expect([changesToldIn(last), joinNames(last.tools)]).toEqual([[], 'close open zoo dig']);
  });
});

it('a model that receives no messages about tool changes sees only the current list', async () => {
  const session = sessionOf([thinkingReply('One', openCall('zoo')), 'Two'], {}, {});
  await session.send('Go.');
  expect(session.requests.map((request) => [changesToldIn(request), joinNames(request.tools)])).toEqual([
    [[], 'close open'],
    [[], 'close open zoo'],
  ]);
});
