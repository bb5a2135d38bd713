import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { showToolsChanges } from '../../../../src/model/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { getInitialTools } from '../../../doors/model.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  createCloseCall,
  createOpenCall,
  createTestAgent,
  createThinkingReply,
  isExtension,
  joinNames,
  listShownChanges,
  openingDoors,
  readChanges,
  startSession,
  TOOLS,
} from './scenes.ts';

describe('a model that receives tool changes', () => {
  it('receives a change before the reply that used it, and last in the first request with it', async () => {
    const replies = [
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('bar', 'b')),
      createThinkingReply('Three', createCloseCall('zoo')),
      'Four',
    ];
    const session = startSession(replies);
    await session.send('Go.');
    expect(session.requests.map(listShownChanges)).toEqual([
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
    const session = startSession([createThinkingReply('One', createOpenCall('zoo')), 'Two'], {
      limits: { iterations: 1 },
    });
    await session.send('Go.');
    const { messages = [] } = session.requests[1] ?? {};
    expect(messages.slice(-2)).toEqual([
      { role: 'user', text: expect.stringMatching(/^STOP: /) },
      { role: 'system', text: '', toolsChange: expect.anything() },
    ]);
  });

  it('receives redefined and returning tools, and each request starts with the same tools', async () => {
    const replies = [
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('zoo', 'b')),
      createThinkingReply('Three', createCloseCall('zoo')),
      createThinkingReply('Four', createOpenCall('zoo'), createOpenCall('car')),
      'Five',
    ];
    const session = startSession(replies);
    await session.send('Go.');
    expect(session.requests.map(listShownChanges).at(-1)).toEqual([
      '4 +zoo',
      '7 +zoo -zoo',
      '10 -zoo',
      '14 +car +zoo',
    ]);
    const bases = session.requests.map(({ messages, tools }) => getInitialTools(messages, tools));
    expect(joinNames(bases[0])).toBe('close open');
    for (const base of bases) expect(base).toEqual(bases[0]);
  });

  it('receives no change that was reverted before the next reply', async () => {
    const session = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createCloseCall('zoo')),
      new ModelError('bad-request', 'No.'),
      createThinkingReply('Three', createOpenCall('zoo')),
      'Four',
    ]);
    await session.send('Go.');
    await session.send('And?');
    expect(
      (await readChanges(session)).map(({ came, went, cause }) => [joinNames(came), joinNames(went), cause]),
    ).toEqual([
      ['zoo', '', 'session'],
      ['', 'zoo', 'session'],
      ['zoo', '', 'session'],
    ]);
    // The failed turn never replied after this change, so the change precedes the next turn's message.
    expect(session.requests.slice(2).map(listShownChanges)).toEqual([
      ['4 +zoo', '7 -zoo'],
      ['4 +zoo', '7 -zoo'],
      ['4 +zoo', '7 -zoo', '11 +zoo'],
    ]);
  });

  it('does not receive a tool whose definition is lost, or any change before that', async () => {
    // The inner tools are created for each offer, and are unknown once the unfolding tool has closed.
    const files = defineUnfolding({
      name: 'files',
      description: 'Files.',
      tools: () => [createTool('read')],
    });
    const session = startSession(
      [
        createThinkingReply('One', ['files', {}]),
        createThinkingReply('Two', createOpenCall('zoo')),
        'Three',
        createThinkingReply('Four', createOpenCall('bar')),
        'Five',
      ],
      {
        tools: [...TOOLS, files],
      },
    );
    await session.send('Go.');
    await session.send('And?');
    expect(session.requests.map(listShownChanges)).toEqual([
      [],
      ['4 +files +read -files'],
      ['4 +files +read -files', '7 +zoo'],
      // The turn has ended, which closes `files`.
      [],
      ['10 +bar'],
    ]);
    for (const { messages, tools } of session.requests.slice(3)) {
      expect(joinNames(getInitialTools(messages, tools))).toBe('close files open zoo');
    }
  });

  it('receives the change with the earlier definitions when an unfolding tool closes', async () => {
    const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('read')] });
    const session = startSession([createThinkingReply('One', ['files', {}]), 'Two', 'Three'], {
      tools: [...TOOLS, files],
    });
    await session.send('Go.');
    await session.send('And?');
    expect(session.requests.map(listShownChanges)).toEqual([
      [],
      ['4 +files +read -files'],
      ['4 +files +read -files', '7 +files -files -read'],
    ]);
  });

  it('receives only the changes after the one that a transformer removed', async () => {
    const cuts = defineTransformer({
      name: 'cuts',
      messages: (all) => all.filter((message) => message.role === 'user' || message.text !== 'Three'),
    });
    const replies = [
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('bar')),
      createThinkingReply('Three', createOpenCall('car')),
      createThinkingReply('Four', createCloseCall('zoo')),
      'Five',
    ];
    const session = startSession(replies, { use: [openingDoors, cuts] });
    await session.send('Go.');
    expect(session.requests.map(listShownChanges)).toEqual([
      [],
      ['4 +zoo'],
      ['4 +zoo', '7 +bar'],
      ['6 +car'],
      ['6 +car', '9 -zoo'],
    ]);
    const last = session.requests.at(-1);
    expect(joinNames(getInitialTools(last?.messages ?? [], last?.tools ?? []))).toBe('bar close open zoo');
  });

  it('receives no changes in a request that omits the tools', async () => {
    const session = startSession(
      [createThinkingReply('One', createOpenCall('zoo')), 'Two'],
      { limits: { iterations: 1 } },
      { showToolsChanges, heedsToolChoice: false },
    );
    await session.send('Go.');
    expect(session.requests.map((request) => [listShownChanges(request), joinNames(request.tools)])).toEqual([
      [[], 'close open'],
      [[], ''],
    ]);
  });

  it('receives the changes of a deployment between two turns, and each request extends the previous one', async () => {
    const app = createMemoryApp({
      replies: [createThinkingReply('One', createOpenCall('zoo')), 'Two', 'Three', 'Four'],
      modelOptions: { showToolsChanges },
      tools: TOOLS,
      use: [openingDoors],
      instructions: 'Help.',
    });
    await app.say('Go.');
    const agent = createTestAgent({ tools: [...TOOLS, createTool('dig')] });
    await app.say('And?', { agent });
    await app.say('And now?', {
      agent: createTestAgent({ tools: [...TOOLS, createTool('dig', undefined, 'Digs deeper.')] }),
    });
    expect(
      (await readChanges(app)).map(({ came, went, cause, all }) => [
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
    if (!first || !second || !third || !last) throw new Error('The model received fewer than four requests.');
    expect([isExtension(first, second), isExtension(second, third)]).toEqual([true, true]);
    expect(listShownChanges(third)).toEqual(['4 +zoo', '7 +dig']);
    // This code does not know the earlier definition of `dig`.
    expect([listShownChanges(last), joinNames(last.tools)]).toEqual([[], 'close open zoo dig']);
  });
});

it('a model that receives no messages about tool changes sees only the current list', async () => {
  const session = startSession([createThinkingReply('One', createOpenCall('zoo')), 'Two'], {}, {});
  await session.send('Go.');
  expect(session.requests.map((request) => [listShownChanges(request), joinNames(request.tools)])).toEqual([
    [[], 'close open'],
    [[], 'close open zoo'],
  ]);
});
