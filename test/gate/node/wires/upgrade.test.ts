/** A deploy brings another model while an approval waits: its strict server takes the open turn. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { expect, it } from 'vitest';
import { type ChatModel, defineAgent, defineTool } from '../../../../src/index.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { serverOf } from '../../../wires/session/servers.ts';
import { fetchOf } from '../../../wires/wire.ts';

const script = {
  turns: [{ steps: [{ calls: [{ name: 'pay', input: {} }] }], answer: 'It is paid.' }],
};

const server = (wire: 'anthropic-budget' | 'kimi', seed: string, kin: readonly string[] = []) =>
  serverOf(wire, { script, seed, kin });

const claude = (name: string, at: ReturnType<typeof server>): ChatModel =>
  fromAiSdk(createAnthropic({ apiKey: 'key', fetch: fetchOf(at) })(name), {
    settings: { reasoning: 'medium' },
  });

const kimi = (at: ReturnType<typeof server>): ChatModel =>
  openaiCompatible({ baseURL: 'https://kimi.test/v1', model: 'kimi-k2.6', fetch: fetchOf(at) });

/** The model of the code that runs; a deploy replaces it. */
function deployed(first: ChatModel) {
  let now = first;
  const model = new Proxy(first, { get: (_, key) => Reflect.get(now, key) });
  const deploy = (next: ChatModel): void => {
    now = next;
  };
  return { model, deploy };
}

async function approvedAcross(before: ChatModel, after: ChatModel) {
  const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' });
  const agent = defineAgent({
    name: 'clerk',
    description: 'Pays.',
    instructions: 'Pay.',
    tools: [requireApproval(pay, { message: () => 'Pay?' })],
  });
  const { model, deploy } = deployed(before);
  const session = createTestSession(agent, { model });
  await session.send('Go.');
  deploy(after);
  session.restart();
  const answer = await session.decide('pay', 'approve');
  const replies = (await session.events()).flatMap((event) =>
    event.type === 'model-replied' ? [event] : [],
  );
  return { answer, tookOver: replies.map(({ tookOver }) => tookOver) };
}

it('from one Claude to another, which reads what the first has thought', async () => {
  const [old, next] = [server('anthropic-budget', 'old'), server('anthropic-budget', 'next', ['old'])];
  const { answer, tookOver } = await approvedAcross(
    claude('claude-opus-4-5', old),
    claude('claude-sonnet-4-5', next),
  );
  expect([answer.text, [...old.refused, ...next.refused]]).toEqual(['It is paid.', []]);
  expect(tookOver).toEqual([undefined, { from: 'claude-opus-4-5', unshown: [] }]);
  expect(JSON.stringify(next.requests)).toContain('"thinking","thinking":"Thinking of turn 1');
});

it('from Kimi to Claude that thinks by a budget, and the other way', async () => {
  for (const [from, to] of [
    ['kimi', 'anthropic-budget'],
    ['anthropic-budget', 'kimi'],
  ] as const) {
    const [old, next] = [server(from, 'old'), server(to, 'next')];
    const of = (wire: typeof from, at: typeof old) =>
      wire === 'kimi' ? kimi(at) : claude('claude-sonnet-4-5', at);
    const { answer, tookOver } = await approvedAcross(of(from, old), of(to, next));
    expect(answer.text).toBe('It is paid.');
    expect(tookOver[1]).toMatchObject({ unshown: ['reasoning'] });
    // A server of chat completions is asked once more, with what it has missed.
    expect(next.refused.map(({ message }) => message)).toEqual(
      to === 'kimi'
        ? ['thinking is enabled but reasoning_content is missing in assistant tool call message at index 2']
        : [],
    );
  }
});
