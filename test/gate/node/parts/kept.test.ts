/** Tests that the content of a reply is sent back unchanged, whatever happens to the turn in the meantime. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AgentConfig,
  type AnyTool,
  defineAgent,
  defineTool,
  ModelError,
} from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createSignedReply, createSigningModel, listHeldSignatures, type SignedReply } from './signed.ts';

type AgentOverrides = Partial<Omit<AgentConfig<'tester'>, 'name' | 'model' | 'output'>>;

const createTestAgent = (tools: readonly AnyTool[], more: AgentOverrides = {}) =>
  defineAgent({ name: 'tester', description: 'Tests.', instructions: 'Test.', tools, ...more });

/** Returns a session whose tools can act on it. */
function createScene(
  replies: readonly ScriptedReply[],
  {
    during = () => {},
    more,
  }: { during?: (session: TestSession, run: number) => unknown; more?: AgentOverrides } = {},
) {
  let runs = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'idempotent',
    run: async (): Promise<string> => {
      runs += 1;
      await during(session, runs);
      return 'seen';
    },
  });
  const session: TestSession = createTestSession(createTestAgent([look], more), {
    model: createSigningModel(replies),
  });
  return session;
}

const first = createSignedReply('one', {
  text: 'One moment.',
  calls: ['look', ['look', '{}']],
  provider: { maker: { whole: true } },
});
const second = createSignedReply('two', { calls: ['look'] });
const third = createSignedReply('three', { text: 'Seen.', provider: { maker: { z: 1, a: 2 } } });
const SCRIPT = [first, second, third];

describe('a reply of parts', () => {
  it('is sent back unchanged in its turn and in later turns, with its results directly after it', async () => {
    const { model, ...app } = createMemoryApp({
      tools: [defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' })],
      replies: [first, 'Seen.', 'Again.'],
      modelOptions: { provider: 'maker' },
    });
    await app.say('Go.');
    await app.say('And?');
    for (const request of model.requests.slice(1)) {
      expect(request.messages.slice(1, 4)).toEqual([
        {
          role: 'assistant',
          text: 'One moment.',
          toolCalls: [
            { id: 'one_0', name: 'look', input: '{"b": 1,  "a": 2}' },
            { id: 'one_1', name: 'look', input: '{}' },
          ],
          parts: first.parts,
          provider: { maker: { whole: true } },
          madeBy: { provider: 'maker', model: 'scripted' },
        },
        { role: 'tool', id: 'one_0', name: 'look', text: 'seen' },
        { role: 'tool', id: 'one_1', name: 'look', text: 'seen' },
      ]);
    }
  });

  it('is unchanged after each eviction of the object, with and without a snapshot', async () => {
    const session = createScene([...SCRIPT, 'Yes.', 'No.'], { during: (one) => one.restart() });
    await session.send('Go.');
    session.restart();
    await session.send('Yes?');
    session.restart();
    await session.send('No?');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0, 1], [0, 1, 2], [0, 1, 2]]);
  });

  it('is unchanged in the next invocation after a kill during its calls', async () => {
    const session = createScene([...SCRIPT, 'Yes.'], {
      during: (one, run) => {
        if (run === 2 || run === 4) one.kill();
      },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Seen.' });
    await session.send('Yes?');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0, 1], [0, 1, 2]]);
  });

  it('is unchanged after its model call was killed and repeated', async () => {
    let asked = 0;
    const killOnce = (): SignedReply => {
      asked += 1;
      if (asked === 1) session.kill();
      return second;
    };
    const session: TestSession = createScene([first, killOnce, killOnce, third]);
    await session.send('Go.');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0], [0, 1]]);
    expect(JSON.stringify(session.requests[1])).toBe(JSON.stringify(session.requests[2]));
  });

  it('is unchanged after a hand-over of the turn', async () => {
    const clock = createManualClock(1_000_000);
    const client = new AbortController();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: () => {
        client.abort();
        return 'seen';
      },
    });
    const app = createMemoryApp({
      tools: [look],
      replies: SCRIPT,
      modelOptions: { provider: 'maker' },
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const left = await advanceUntilSettled(clock, app.run(leased, { leave: client.signal }));
    expect(left).toMatchObject({ status: 'handed-over' });
    await advanceUntilSettled(clock, app.run(await app.resume(turn)));
    expect(listHeldSignatures(app.model.requests, SCRIPT)).toEqual([[], [0], [0, 1]]);
  });

  it('comes with its results before a message that steers its turn', async () => {
    const session = createScene([...SCRIPT, 'Yes.'], {
      during: (one, run) => (run === 1 ? one.post('Make it blue.', { whenBusy: 'steer' }) : undefined),
    });
    await session.send('Go.');
    session.restart();
    await session.send('Yes?');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0, 1], [0, 1, 2]]);
    expect(session.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  });

  it('is sent back even if its answer was rejected', async () => {
    const answers = [
      createSignedReply('bad', { text: 'red' }),
      createSignedReply('good', { text: '{"color":"red"}' }),
    ];
    const session = createTestSession(
      defineAgent({
        name: 'tester',
        description: 'Tests.',
        instructions: '',
        output: v.object({ color: v.string() }),
      }),
      { model: createSigningModel([...answers, createSignedReply('more', { text: '{"color":"blue"}' })]) },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', object: { color: 'red' } });
    session.restart();
    await session.send('Again.');
    expect(listHeldSignatures(session.requests, answers)).toEqual([[], [0], [0, 1]]);
    expect(session.requests[1]?.messages.at(-1)?.text).toMatch(/^Your answer does not have the form/);
  });

  it('counts as blank if it contains only reasoning, which is not sent back', async () => {
    const blank: SignedReply = {
      parts: [
        { type: 'reasoning', text: 'Hm.', provider: { maker: { signature: 's' } } },
        { type: 'file', mediaType: 'image/png', data: 'AAAA', ofReasoning: true },
      ],
    };
    const session = createScene([blank, third, 'Yes.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Seen.' });
    session.restart();
    await session.send('Yes?');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [], [2]]);
    for (const { messages } of session.requests.slice(1))
      expect(messages.slice(2, 4)).toEqual([
        { role: 'assistant', text: '(no response)', toolCalls: [] },
        { role: 'user', text: expect.stringMatching(/^Your previous turn produced no response\. /) },
      ]);
  });

  it('is unchanged if the messages before its turn are summarized', async () => {
    const long = 'long '.repeat(200);
    const replies = [createSignedReply('old', { text: 'Old.' }), ...SCRIPT, 'Yes.'];
    const compaction = summarize({ overTokens: 300, keepTurns: 1, summarize: () => 'Sum.' });
    const session = createScene(replies, { more: { use: [compaction] } });
    for (const message of [long, long, 'Yes?']) {
      await session.send(message);
      session.restart();
    }
    expect(session.requests.at(-1)?.messages[1]?.text).toMatch(/Sum\.$/);
    expect(listHeldSignatures(session.requests, SCRIPT).slice(-1)).toEqual([[0, 1, 2]]);
  });

  it('is unchanged if the results of its turn are shortened', async () => {
    const tooLong = new ModelError('context-length', 'The conversation is too long.', {
      length: { sent: 10_000, most: 4_000 },
    });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: () => 'x'.repeat(20_000),
    });
    const session = createTestSession(createTestAgent([look]), {
      model: createSigningModel([first, tooLong, second, third, 'Yes.']),
    });
    await session.send('Go.');
    session.restart();
    await session.send('Yes?');
    const types = (await session.events()).map(({ type }) => type);
    expect(types).toContain('conversation-cut');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0], [0, 1], [0, 1, 2]]);
    expect(JSON.stringify(session.requests[2])).toContain('... [shortened: ');
  });
});

describe('a reply without text', () => {
  const search: readonly ReplyPart[] = [
    { type: 'reasoning', text: 'Hm.', provider: { maker: { signature: 's' } } },
    { type: 'tool-call', id: 'srv_1', name: 'web_search', input: '{}', ranBy: 'provider' },
    { type: 'tool-result', id: 'srv_1', name: 'web_search', result: ['Kelp.'] },
  ];

  it.each<[string, SignedReply]>([
    ['calls that its provider ran', { parts: search }],
    [
      'data that only its provider understands',
      { parts: [{ type: 'custom', kind: 'maker.memory' }], provider: { a: 1 } },
    ],
  ])('is sent back with %s, and its model is asked for text', async (_, reply) => {
    const session = createScene([reply, third, 'Yes.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Seen.' });
    session.restart();
    await session.send('Yes?');
    for (const { messages } of session.requests.slice(1)) {
      expect(messages[2]).toMatchObject({ text: '', toolCalls: [], ...reply });
      expect(messages[3]?.text).toMatch(/^Your previous turn produced no response\. /);
    }
  });

  it('counts as an answer if it contains a file', async () => {
    const file: SignedReply = { parts: [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }] };
    const session = createScene([file, 'Yes.']);
    expect(await session.send('Draw.')).toMatchObject({ outcome: 'completed', text: '' });
    await session.send('Yes?');
    expect(session.requests[1]?.messages[2]).toMatchObject(file);
  });
});
