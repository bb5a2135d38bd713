import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import { defineInjectionStrategy } from '../../../../src/kinds/entry.ts';
import { inspect, type ToolsChangeSeen } from '../../../../src/modules/inspect/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { createEmptyState, reduce } from '../../../doors/journal.ts';
import { readJournal } from '../../../doors/session.ts';
import { advanceUntilSettled, leaveHolderSilent, takeOver } from '../session/former-holder.ts';
import { createClockedApp, createMemoryApp } from '../session/memory-app.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  type ChangeEvent,
  createCloseCall,
  createOpenCall,
  createTestAgent,
  createThinkingReply,
  doors,
  joinNames,
  openingDoors,
  readChanges,
  readReplies,
  SIGNING_OPTIONS,
  startSession,
  TOOLS,
} from './scenes.ts';

type ToolList = NonNullable<ChangeEvent['came']>;

/**
 * Events without a fixed order: read calls start at any time, and another invocation can resume after each
 * reply.
 */
const OMITTED_TYPES = ['tool-call-started', 'turn-yielded', 'turn-resumed'];

const createHashedTool = (name: string) => ({ name, hash: expect.stringMatching(/^[0-9a-z]+$/) });

describe('the tools-changed event', () => {
  it('lists added and removed tools with their earlier definitions once, before the next reply', async () => {
    const session = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('bar')),
      createThinkingReply('Three'),
    ]);
    await session.send('Go.');
    const events = await session.events();
    const [first, second, ...more] = await readChanges(session);
    expect(first).toEqual({
      type: 'tools-changed',
      turn: expect.any(String),
      came: [createHashedTool('zoo')],
      went: [],
      all: [createHashedTool('close'), createHashedTool('open'), createHashedTool('zoo')],
      cause: 'session',
    });
    expect(second).toEqual({
      type: 'tools-changed',
      turn: expect.any(String),
      came: [createHashedTool('bar')],
      went: [],
      cause: 'session',
    });
    expect(more).toEqual([]);
    expect(events.filter(({ type }) => !OMITTED_TYPES.includes(type)).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'tool-call-ended',
      'tools-changed',
      'model-replied',
      'tool-call-ended',
      'tools-changed',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('is omitted while the tools stay the same', async () => {
    const session = startSession([createThinkingReply('One', ['close', {}]), 'Two', 'Three'], { use: [] });
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(await readChanges(session)).toEqual([]);
  });

  it('lists a redefined tool as removed and added, at its old position', async () => {
    const replies = [
      createThinkingReply('One', createOpenCall('zoo'), createOpenCall('bar')),
      createThinkingReply('Two', createOpenCall('bar', 'b')),
      createThinkingReply('Three', createCloseCall('zoo')),
      createThinkingReply('Four', createOpenCall('zoo')),
      'Five',
    ];
    const session = startSession(replies);
    await session.send('Go.');
    const changes = await readChanges(session);
    expect(changes.map(({ came, went }) => [joinNames(came), joinNames(went)])).toEqual([
      ['bar zoo', ''],
      ['bar', 'bar'],
      ['', 'zoo'],
      ['zoo', ''],
    ]);
    expect(changes[1]?.came?.[0]?.hash).not.toBe(changes[1]?.went?.[0]?.hash);
    expect(session.requests.map(({ tools }) => joinNames(tools))).toEqual([
      'close open',
      'close open bar zoo',
      'close open bar zoo',
      'close open bar',
      'close open bar zoo',
    ]);
  });

  it('lists added tools even if a message arrived during the model call', async () => {
    const session: TestSession = startSession([
      async () => {
        await session.post('And?', { whenBusy: 'steer' });
        return createThinkingReply('One', createOpenCall('zoo'));
      },
      'Two',
    ]);
    await session.send('Go.');
    expect((await readChanges(session)).map(({ came, cause }) => [joinNames(came), cause])).toEqual([
      ['zoo', 'session'],
    ]);
  });

  it('lists the correct earlier tools if a strategy depends on the number of replies', async () => {
    const later: InjectionStrategy = {
      name: 'later',
      offer: (tools, { iterations }) =>
        iterations < 1 ? tools : [...tools, createTool(`late_${iterations}`)],
    };
    const session = startSession(
      [createThinkingReply('One', ['close', {}]), createThinkingReply('Two', ['close', {}]), 'Three'],
      {
        use: [defineInjectionStrategy(later)],
      },
    );
    await session.send('Go.');
    expect(
      (await readChanges(session)).map(({ came, went, cause }) => [joinNames(came), joinNames(went), cause]),
    ).toEqual([
      ['late_1', '', 'session'],
      ['late_2', 'late_1', 'session'],
    ]);
  });

  it('lists the changes of a deployment during a turn, or all tools if the earlier ones were not journaled', async () => {
    const replies = [
      createThinkingReply('One', ['close', {}]),
      createThinkingReply('Two', createOpenCall('zoo')),
      createThinkingReply('Three', ['close', {}]),
      'Four',
    ];
    const options = { tools: TOOLS, use: [openingDoors], modelOptions: SIGNING_OPTIONS };
    const before = createClockedApp({ replies, ...options });
    await advanceUntilSettled(before.clock, before.say('Go.'));
    const events = (await readJournal(before.port)).flatMap((event) =>
      'incarnation' in event || event.type === 'turn-started' ? [] : event,
    );
    const ends = events.flatMap(({ type }, at) => (type === 'tool-call-ended' ? [at + 1] : []));
    const agent = createTestAgent({ tools: [...TOOLS, createTool('dig')] });
    const told: unknown[] = [];
    for (const end of ends) {
      const app = createClockedApp({ replies: ['Five'], ...options });
      const left = await leaveHolderSilent(app, events.slice(0, end));
      await takeOver(app, app.clock, left, { agent });
      const { came, went, all, cause } = (await readChanges(app)).at(-1) ?? {};
      told.push([came && joinNames(came), went && joinNames(went), all && joinNames(all), cause]);
    }
    expect(told).toEqual([
      // Only hashes identify the tools that the earlier code offered.
      [undefined, undefined, 'close dig open', 'deploy'],
      [undefined, undefined, 'close dig open zoo', 'deploy'],
      ['dig', '', undefined, 'deploy'],
    ]);
  });

  it('is combined with other changes before the same reply, and has no effect if the tools are the original ones', () => {
    const [zoo, other, bar] = [
      ['zoo', 'a'],
      ['zoo', 'b'],
      ['bar', 'a'],
    ].map(([name = '', hash = '']) => ({ name, hash }));
    if (!zoo || !other || !bar) throw new Error('There must be three tools.');
    const createChange = (came: ToolList, went: ToolList): SessionEvent => ({
      type: 'tools-changed',
      turn: 't',
      came,
      went,
      cause: 'session',
    });
    const state = createEmptyState();
    const applyEvent = (event: SessionEvent) =>
      reduce(state, { ...event, seq: state.seq + 1 }).offered.change;
    expect(applyEvent(createChange([zoo], []))).toEqual({ came: [zoo], went: [] });
    expect(applyEvent(createChange([other, bar], [zoo]))).toEqual({ came: [other, bar], went: [] });
    expect(applyEvent(createChange([], [other, bar]))).toBeUndefined();
    state.offered.list = [zoo, bar];
    expect(applyEvent(createChange([other], [zoo]))).toEqual({ came: [other], went: [zoo] });
    expect(applyEvent(createChange([], [bar]))).toEqual({ came: [other], went: [zoo, bar] });
    expect(applyEvent(createChange([zoo], [other]))).toEqual({ came: [], went: [bar] });
    expect(state.offered.list).toEqual([zoo]);
  });

  it('belongs to the loop of its tools', async () => {
    const inner = createDiggingTool(TOOLS, { strategies: [doors] });
    const session = startSession(
      [{ calls: [{ name: 'dig' }] }, createThinkingReply('In', createOpenCall('zoo')), 'Deep.', 'Done.'],
      {
        tools: [inner],
        use: [],
      },
    );
    await session.send('Go.');
    const [change, ...more] = await readChanges(session);
    expect([change?.frame, joinNames(change?.all), more]).toEqual([expect.any(String), 'close open zoo', []]);
  });
});

describe('the request that is journaled with a reply', () => {
  it('has one hash of the instructions and one of the tools', async () => {
    const session = startSession(
      [{ calls: [{ name: 'open', input: { name: 'zoo', kind: 'a' } }] }, 'Two', 'Three'],
      {},
      {},
    );
    await session.send('Go.');
    await session.send('And?');
    const [first, second, third] = (await readReplies(session)).map(({ asked }) => asked);
    expect(first).toEqual({
      instructions: expect.stringMatching(/^[0-9a-z]+$/),
      tools: expect.stringMatching(/^[0-9a-z]+$/),
    });
    expect(second).toEqual({ ...first, tools: expect.stringMatching(/^[0-9a-z]+$/) });
    expect(second?.tools).not.toBe(first?.tools);
    expect(third).toEqual(second);
  });

  it('has a new hash if the instructions change, and also a hash of the earlier messages if a reply is signed', async () => {
    const app = createMemoryApp({
      replies: [createThinkingReply('One'), createThinkingReply('Two')],
      modelOptions: SIGNING_OPTIONS,
      instructions: 'Help.',
    });
    await app.say('Go.');
    await app.say('And?', { agent: createTestAgent({ instructions: 'Help more.', tools: [], use: [] }) });
    const turns = app.model.requests.map(({ messages }) => messages[0]);
    expect(turns).toEqual([
      { role: 'system', text: 'Help.' },
      { role: 'system', text: 'Help more.' },
    ]);
    const [first, second] = await readReplies(app);
    expect(first?.asked?.instructions).not.toBe(second?.asked?.instructions);
    expect(second?.asked).toEqual({
      instructions: expect.any(String),
      tools: first?.asked?.tools,
      prefix: expect.stringMatching(/^[0-9a-z]+$/),
    });
  });
});

it('inspectors receive a tool change before the request', async () => {
  const told: (ToolsChangeSeen | string)[] = [];
  const session = startSession([createThinkingReply('One', createOpenCall('zoo')), 'Two'], {
    use: [
      openingDoors,
      inspect(
        { beforeModelCall: ({ iteration }) => void told.push(`asks ${iteration}`) },
        { toolsChanged: (seen) => void told.push(seen) },
      ),
    ],
  });
  await session.send('Go.');
  expect(told).toEqual([
    'asks 1',
    {
      session: 'test',
      turn: expect.any(String),
      frame: '',
      path: 'clerk',
      principal: { id: 'tester' },
      iteration: 2,
      cause: 'session',
      came: ['zoo'],
      went: [],
      metadata: expect.any(Function),
      broughtBy: expect.any(Function),
    },
    'asks 2',
  ]);
});
