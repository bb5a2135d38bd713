/** Tests the form in which a model receives another model's reply. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ChatModel, defineAgent, defineTool, fallback, ModelError } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createSignedReply, createSigningModel, listHeldSignatures } from './signed.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

/** A reply with a search that the provider ran, and a fetch that failed. */
const searchParts: readonly ReplyPart[] = [
  { type: 'reasoning', text: 'Search.', provider: { maker: { signature: 'sss' } } },
  { type: 'tool-call', id: 'srv_1', name: 'web_search', input: '{"query":"kelp"}', ranBy: 'provider' },
  {
    type: 'tool-result',
    id: 'srv_1',
    name: 'web_search',
    result: [{ url: 'https://kelp.test', encrypted: 'e'.repeat(3_000) }],
    provider: { maker: { opaque: 'ooo' } },
  },
  { type: 'tool-call', id: 'srv_2', name: 'web_fetch', input: '{}', ranBy: 'provider' },
  { type: 'tool-result', id: 'srv_2', name: 'web_fetch', result: 'It is gone.', isError: true },
  { type: 'text', text: 'Kelp is sold by the crate.', provider: { maker: { cited: 1 } } },
  { type: 'source', id: 's1', url: 'https://kelp.test', title: 'Kelp' },
  { type: 'custom', kind: 'maker.thing', provider: { maker: { blob: 'bbb' } } },
  { type: 'file', mediaType: 'image/png', data: 'AAAA' },
  { type: 'tool-call', id: 'c1', name: 'look', input: '{}', provider: { maker: { signature: 'ccc' } } },
];

const SHOWN_MESSAGES = [
  {
    role: 'assistant',
    text:
      'Kelp is sold by the crate.\n\n' +
      `(Its provider ran 'web_search' with the input {"query":"kelp"}. 'web_search' answered: ` +
      `${JSON.stringify([{ url: 'https://kelp.test', encrypted: 'e'.repeat(3_000) }]).slice(0, 2_000)}… ` +
      "Its provider ran 'web_fetch' with the input {}. 'web_fetch' failed: It is gone. " +
      "It made a file of the type 'image/png'.)",
    toolCalls: [{ id: 'c1', name: 'look', input: '{}' }],
  },
  { role: 'tool', id: 'c1', name: 'look', text: 'seen' },
];

/** Lets the model of `createMemoryApp` write the first reply of a turn, and another model all later ones. */
async function playThenSwitch(reply: ScriptedReply, other: ScriptedModel): Promise<ScriptedModel> {
  const clock = createManualClock(1_000_000);
  const client = new AbortController();
  const leaves = defineTool({
    name: 'look',
    description: 'Looks.',
    run: () => {
      client.abort();
      return 'seen';
    },
  });
  const modelOptions = { provider: 'maker' };
  const app = createMemoryApp({ tools: [leaves], replies: [reply], modelOptions, clock, leaseMs: LEASE_MS });
  const leased = await app.lease('Go.');
  await advanceUntilSettled(clock, app.run(leased, { leave: client.signal }));
  const next = await app.resume(leased.page.openTurn?.id ?? '');
  // A deployment between the two changes the model.
  const deployed = { ...app.agent, model: other };
  expect(await advanceUntilSettled(clock, app.run(next, { agent: deployed }))).toMatchObject({
    status: 'ended',
  });
  await advanceUntilSettled(clock, app.say('And?', { agent: deployed }));
  return other;
}

const WHOLE_REPLY = { parts: searchParts, provider: { maker: { whole: true } } };

describe('a reply of parts', () => {
  it.each([
    ['with another name', { name: 'other', provider: 'maker' }],
    ['of another provider', { name: 'scripted', provider: 'rival' }],
    ['without a provider', { name: 'scripted' }],
  ])('is sent as text to a model %s that a deployment introduces during the turn', async (_, options) => {
    const { requests } = await playThenSwitch(WHOLE_REPLY, scriptedModel(['Done.', 'Yes.'], options));
    expect(requests).toHaveLength(2);
    for (const { messages } of requests) expect(messages.slice(1, 3)).toEqual(SHOWN_MESSAGES);
    expect(JSON.stringify(requests)).not.toMatch(/sss|ooo|bbb|ccc|Search\./);
  });

  it('is sent back complete to the same model after a deployment', async () => {
    const same = scriptedModel(['Done.', 'Yes.'], { provider: 'maker' });
    const { requests } = await playThenSwitch(WHOLE_REPLY, same);
    for (const { messages } of requests)
      expect(messages[1]).toMatchObject({ ...WHOLE_REPLY, madeBy: { provider: 'maker', model: 'scripted' } });
  });

  it.each<[string, readonly ReplyPart[], string]>([
    [
      'only a file',
      [{ type: 'file', mediaType: 'image/png', data: 'AAAA', provider: { maker: { id: 'f' } } }],
      "(It made a file of the type 'image/png'.)",
    ],
    [
      'only a search',
      searchParts.slice(3, 5),
      "(Its provider ran 'web_fetch' with the input {}. 'web_fetch' failed: It is gone.)",
    ],
    ['only data of its provider', [{ type: 'custom', kind: 'maker.thing' }], '(no response)'],
  ])(
    'is sent to another model with a description of its content if it contains %s',
    async (_, parts, text) => {
      const own = createSigningModel([{ parts }, 'Done.', 'Yes.']);
      const other = scriptedModel(['Other.'], { name: 'other' });
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      onTestFinished(() => void vi.restoreAllMocks());
      const model = fallback([createFailingModel(own, (ask) => ask > 1), other]);
      const session = createTestSession(createTestAgent(), { model });
      await session.send('Go.');
      if (other.requests.length === 0) await session.send('And?');
      expect(other.requests[0]?.messages.find(({ role }) => role === 'assistant')).toEqual({
        role: 'assistant',
        text,
        toolCalls: [],
      });
    },
  );
});

const createTestAgent = () =>
  defineAgent({ name: 'tester', description: 'Tests.', instructions: '', tools: [look] });

/**
 * Returns a model that fails on the requests that `times` selects, so that the fallback asks the next model.
 */
function createFailingModel(own: ScriptedModel, times: (ask: number) => boolean): ChatModel {
  let asks = 0;
  return {
    ...own,
    ask(request, options) {
      asks += 1;
      if (times(asks)) throw new ModelError('server-error', 'Gone.');
      return own.ask(request, options);
    },
  };
}

describe('two models of a fallback', () => {
  it('each receive their own replies complete, and the replies of the other model as text', async () => {
    const [one, two, three] = [
      createSignedReply('one', { text: 'First.', calls: ['look'] }),
      createSignedReply('two', { text: 'Second.', calls: ['look'] }),
      createSignedReply('three', { text: 'Third.' }),
    ];
    const own = createSigningModel([one, three, 'Yes.'], 'own');
    const spare = createSigningModel([two], 'spare');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const model = fallback([createFailingModel(own, (ask) => ask === 2), spare]);
    const session = createTestSession(createTestAgent(), { model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Third.' });
    session.restart();
    await session.send('And?');
    const all = [one, two, three];
    expect(listHeldSignatures(own.requests, all)).toEqual([[], [0], [0, 2]]);
    // The fallback asks the spare model again, because it replied last. By then its script is empty.
    expect(listHeldSignatures(spare.requests, all)).toEqual([[], [1]]);
    expect(spare.requests[0]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: 'First.',
        toolCalls: [{ id: 'one_0', name: 'look', input: '{"b": 1,  "a": 2}' }],
      },
      { role: 'tool', id: 'one_0', name: 'look', text: 'seen' },
    ]);
    expect(own.requests[1]?.messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        text: 'Second.',
        toolCalls: [{ id: 'two_0', name: 'look', input: '{"b": 1,  "a": 2}' }],
      },
      { role: 'tool', id: 'two_0', name: 'look', text: 'seen' },
    ]);
  });
});
