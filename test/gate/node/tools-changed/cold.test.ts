/**
 * Tests that an invocation that resumes a session sends its model the same requests as a warm one, byte for
 * byte.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { createEmptyState, parseEvent, reduce, toRow } from '../../../doors/journal.ts';
import { createLongMessage, joinFirstWords } from '../session/compaction-scene.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import { createTool } from '../unfolding/scenes.ts';
import {
  createCloseCall,
  createOpenCall,
  createThinkingReply,
  doors,
  formatPlace,
  isExtension,
  joinNames,
  openingDoors,
  readChanges,
  readReplies,
  replyByPlace,
  SIGNING_OPTIONS,
  startSession,
  TOOLS,
} from './scenes.ts';

const declaration = {
  name: 'files',
  description: 'Files.',
  tools: [createTool('read'), createTool('write')],
};
const FILES = defineUnfolding(declaration);
const OPEN_FILES = defineUnfolding({ ...declaration, scope: 'session' });

/** Returns the requests of a session by position. Requests at the same position must be identical. */
function mapRequests({ requests }: TestSession): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const request of requests) {
    const [place, text] = [formatPlace(request), JSON.stringify(request)];
    expect(text).toBe(all.get(place) ?? text);
    all.set(place, text);
  }
  return all;
}

/**
 * Plays a session warm, and once for each position with a kill of the Worker before the reply at that
 * position.
 */
async function playColdAndWarm(
  loops: Parameters<typeof replyByPlace>[0],
  more: object,
  messages: readonly string[],
) {
  const play = async (ends?: string): Promise<TestSession> => {
    const session: TestSession = startSession(
      replyByPlace(loops, (place) => place === ends && session.kill()),
      more,
    );
    for (const message of messages)
      expect(await session.send(message)).toMatchObject({ outcome: 'completed' });
    return session;
  };
  const warm = await play();
  const cold = await Promise.all([...mapRequests(warm).keys()].map(play));
  for (const session of cold) {
    expect(session.requests.length).toBeGreaterThan(warm.requests.length);
    expect(mapRequests(session)).toEqual(mapRequests(warm));
    expect(await readChangesWithoutTurn(session)).toEqual(await readChangesWithoutTurn(warm));
    expect((await session.state()).offered).toEqual((await warm.state()).offered);
  }
  return { warm, cold };
}

/** Returns the journaled tool changes of a session, without the ids of turns and calls. */
const readChangesWithoutTurn = async (session: TestSession) =>
  (await readChanges(session)).map(({ turn: _, frame, ...change }) => ({
    ...change,
    isNested: frame !== undefined,
  }));

describe('a session with changing tools', () => {
  const replies = [
    createThinkingReply('One', createOpenCall('zoo'), ['files', {}]),
    createThinkingReply('Two', createOpenCall('bar', 'b'), ['read', {}]),
    createThinkingReply('Three', createCloseCall('zoo')),
    createThinkingReply('Four'),
    createThinkingReply('Five', createOpenCall('bar')),
    createThinkingReply('Six'),
  ];
  const more = { tools: [...TOOLS, FILES] };

  it('sends the same requests after a restart at any position, and reports each change once', async () => {
    const { warm, cold } = await playColdAndWarm({ 'Help.': replies }, more, ['Go.', 'And?']);
    expect(cold).toHaveLength(6);
    expect(
      (await readChangesWithoutTurn(warm)).map(({ came, went, cause }) => [
        joinNames(came),
        joinNames(went),
        cause,
      ]),
    ).toEqual([
      ['files read write zoo', 'files', 'session'],
      ['bar', '', 'session'],
      ['', 'zoo', 'session'],
      ['files', 'files read write', 'turn'],
      ['bar', 'bar', 'session'],
    ]);
  });

  it('sends the same requests in nested loops', async () => {
    const nested = [...replies.slice(0, 3), 'Deep.'];
    const around = [
      createThinkingReply('Six', ['dig', {}]),
      createThinkingReply('Seven', createOpenCall('car')),
      'Done.',
    ];
    const loops = { 'Help.': around, 'You dig.': nested };
    const declared = { tools: [...TOOLS, createDiggingTool(more.tools, { strategies: [doors] })] };
    const { warm, cold } = await playColdAndWarm(loops, declared, ['Go.']);
    expect(cold).toHaveLength(7);
    expect(
      (await readChangesWithoutTurn(warm)).map(({ isNested, came }) => [isNested, joinNames(came)]),
    ).toEqual([
      [true, 'files read write zoo'],
      [true, 'bar'],
      [true, ''],
      [false, 'car'],
    ]);
  });

  it('sends the same requests after a restart if it was compacted after a change without a reply', async () => {
    const failed = new ModelError('bad-request', 'No.');
    const app = createMemoryApp({
      replies: [
        createThinkingReply('One', ['files', {}]),
        failed,
        createThinkingReply('Two'),
        createThinkingReply('Three'),
      ],
      modelOptions: SIGNING_OPTIONS,
      tools: [OPEN_FILES],
      use: [summarize({ overTokens: 180, keepTurns: 0, summarize: joinFirstWords })],
    });
    for (const message of [createLongMessage('a'), createLongMessage('b')]) await app.say(message);
    const warm = await app.state();
    expect(warm.cut).toBeDefined();
    const leased = await app.lease('And?');
    expect(leased.snapshot?.messagesFrom).toBe(warm.cut?.from);
    await app.run(leased);
    const last = app.model.requests.at(-1);
    const before = app.model.requests.at(-2);
    if (!last || !before) throw new Error('The model received fewer than two requests.');
    expect([joinNames(last.tools), isExtension(before, last)]).toEqual(['files read write', true]);
  });

  it('restores no previous offer from replies that older code has journaled', async () => {
    const app = createMemoryApp({
      replies: [{ calls: [{ name: 'open', input: { name: 'zoo', kind: 'a' } }] }, 'Two'],
      tools: TOOLS,
      use: [openingDoors],
    });
    await app.say('Go.');
    const state = createEmptyState();
    for (const event of await readReplies(app)) {
      const { asked: _, ...older } = event;
      reduce(state, parseEvent({ ...toRow(older), seq: 1, at: 0 }));
    }
    expect(state.offered).toEqual({ list: undefined, asked: undefined, change: undefined });
  });
});

describe('the requests of random turns', () => {
  const step = fc.constantFrom(
    [createOpenCall('zoo')],
    [createOpenCall('bar')],
    [createOpenCall('zoo', 'b'), createOpenCall('car')],
    [createCloseCall('zoo')],
    [createCloseCall('bar'), createOpenCall('bar', 'b')],
    [['zoo', {}] as const],
    ['files', 'read'].map((name) => [name, {}] as const),
    [],
  );
  const disturbance = fc.constantFrom('none', 'kill', 'steer', 'restart', 'blank');

  it('extend one another without moving content, regardless of open tools and incoming messages', async () => {
    const steps = fc.array(fc.tuple(step, disturbance), { minLength: 3, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        let kills = 0;
        const disturbAt = async (place: string): Promise<void> => {
          const at = Number(place.split(' ')[1]);
          const what = drawn[at]?.[1];
          // A turn with eight consecutive kills would be abandoned.
          if (what === 'kill' && kills++ === 0) session.kill();
          if (what === 'restart') session.restart();
          if (what === 'steer') await session.post(`Message ${at}`, { whenBusy: 'steer' });
        };
        const replies = drawn.map(([asked, what], at) =>
          what === 'blank' ? '' : createThinkingReply(`Reply ${at}`, ...asked),
        );
        const ends = Array.from({ length: 10 }, (_, at) => createThinkingReply(`End ${at}`));
        const session: TestSession = startSession(
          replyByPlace({ 'Help.': [...replies, ...ends] }, disturbAt),
          {
            // This tool closes with its turn, and the definition of its open form is then lost.
            tools: [...TOOLS, OPEN_FILES],
          },
        );
        for (const message of ['Go.', 'And?', 'And now?']) await session.send(message);
        // Lost replies are requested again with the newer messages, so that the last request counts.
        const all = [...new Map(session.requests.map((request) => [formatPlace(request), request])).values()];
        for (const [at, request] of all.entries()) {
          expect([at, all[at + 1] === undefined || isExtension(request, all[at + 1])]).toEqual([at, true]);
        }
      }),
      { seed: 20_261_123, numRuns: 40 },
    );
  });
});
