/**
 * An approval waits while a deployment changes the model. Strict servers refuse the same requests as the
 * providers.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { type ChatModel, defineAgent, defineTool } from '../../../../src/index.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { createChatCompletionsWire } from '../../../wires/chat-completions.ts';
import { createFetch, type Script, type Wire } from '../../../wires/wire.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJournal, readJson, type Send } from './client.ts';

const callReply = (name: string) => ({ calls: [{ name, input: {} }] });
const [look, pay] = [callReply('look'), callReply('pay')];
const script: Script = {
  turns: [
    { steps: [look, pay, look, pay, look], answer: 'Paid twice.' },
    { steps: [look], answer: 'All is well.' },
  ],
};

/** The agent of a deployment. `pay` counts the payments. */
const createTestAgent = (model: ChatModel, pay: () => string) =>
  defineAgent({
    name: 'payer',
    description: 'Pays.',
    instructions: 'Pay what is due.',
    model,
    tools: [
      defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' }),
      requireApproval(defineTool({ name: 'pay', description: 'Pays.', effect: 'once', run: pay }), 'Pay?'),
    ],
  });

/** A model, and the strict server behind it. */
interface Player {
  readonly model: ChatModel;
  readonly wire: Wire;
}

const CLAUDES = { opus: 'claude-opus-4-5', sonnet: 'claude-sonnet-4-5' } as const;
const NAMES = { ...CLAUDES, kimi: 'kimi-k2.6' } as const;

/** Claude with a thinking budget. It reads the other model's reasoning. */
function createClaude(name: keyof typeof CLAUDES): Player {
  const kin = Object.keys(CLAUDES).filter((other) => other !== name);
  const wire = createAnthropicWire({ script, seed: name, readableSeeds: kin, variants: [] });
  const thinking = { type: 'enabled', budgetTokens: 2_000 };
  const model = fromAiSdk(createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })(CLAUDES[name]), {
    settings: { providerOptions: { anthropic: { thinking } } },
  });
  return { model, wire };
}

function createKimi(): Player {
  const wire = createChatCompletionsWire({ script, dialect: 'kimi', seed: 'kimi', exactArguments: true });
  const at = {
    baseURL: 'https://kimi.example/v1',
    apiKey: 'key',
    model: NAMES.kimi,
    fetch: createFetch(wire),
  };
  return { model: openaiCompatible({ ...at, wantsThoughts: 'field' }), wire };
}

const PLAYERS = { opus: () => createClaude('opus'), sonnet: () => createClaude('sonnet'), kimi: createKimi };
type Name = keyof typeof PLAYERS;

/** Runs both turns: model `a` until the first approval, `b` until the second, and then `a`. */
async function play(a: Name, b: Name) {
  const [one, other] = [PLAYERS[a](), PLAYERS[b]()];
  let paid = 0;
  const countPayment = (): string => {
    paid += 1;
    return 'paid';
  };
  const session = createSessionPath('payer');
  const createPlayerApp = ({ model }: Player): Send =>
    createTestApp({ agents: [createTestAgent(model, countPayment)], use: [answers], log: false });
  const approve = async (via: Send) => {
    const { pending } = await readJson(await via(session));
    const [{ links }] = pending as [{ links: { approvals: string } }]; // the documented shape
    return readJson(
      await via(links.approvals, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'approve' }),
      }),
    );
  };
  const outcomes = [
    await readJson(await post(session, { message: 'Pay.' }, { via: createPlayerApp(one) })),
    await approve(createPlayerApp(other)),
    await approve(createPlayerApp(one)),
    await readJson(await post(session, { message: 'And now?' }, { via: createPlayerApp(one) })),
  ].map(({ status, text }) => status ?? text);
  const replies = (await readJournal(session, createPlayerApp(one))).filter(
    ({ type }) => type === 'model-replied',
  );
  return {
    outcomes,
    paid,
    refused: [one, other].flatMap(({ wire }) => wire.refused.map(({ message }) => message)),
    answered: replies.map(({ model }) => model),
    tookOver: replies.flatMap(({ tookOver }) => tookOver ?? []),
    thoughts: countThoughts(one.wire),
  };
}

/** Counts the reasoning parts in the last request. A blank one is a placeholder. */
const countThoughts = ({ requests }: Wire): number =>
  JSON.stringify(requests.at(-1)).split(/"type":"thinking"|"reasoning_content":"(?! ")/).length - 1;

const PLAY_RESULT = {
  outcomes: ['suspended', 'suspended', 'Paid twice.', 'All is well.'],
  paid: 2,
  refused: [],
};

describe('a turn whose approvals wait while a deployment changes the model', () => {
  it.each([
    ['opus', 'sonnet'],
    ['sonnet', 'opus'],
  ] as const)(
    'sends no refused request when it switches from Claude %s to %s and back, and each model reads all reasoning',
    async (a, b) => {
      const [before, after] = [CLAUDES[a], CLAUDES[b]];
      expect(await play(a, b)).toEqual({
        ...PLAY_RESULT,
        answered: [before, before, after, after, before, before, before, before],
        tookOver: [
          { from: before, unshown: [] },
          { from: after, unshown: [] },
        ],
        thoughts: 7,
      });
    },
  );

  it.each([
    ['opus', 'kimi'],
    ['kimi', 'opus'],
  ] as const)(
    'sends no refused request when it switches from %s to %s and back, and each model reads its own reasoning',
    async (a, b) => {
      const [before, after] = [NAMES[a], NAMES[b]];
      expect(await play(a, b)).toEqual({
        ...PLAY_RESULT,
        answered: [before, before, after, after, before, before, before, before],
        tookOver: [
          { from: before, unshown: ['reasoning'] },
          { from: after, unshown: ['reasoning'] },
        ],
        thoughts: 5,
      });
    },
  );
});
