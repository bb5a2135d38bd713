/** A script of two long turns, which the AI SDK's own loop plays with a provider's package. */
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import type { Script, ScriptStep } from '../../../wires/wire.ts';

const createStep = (turn: number, at: number): ScriptStep => ({
  calls: [
    { name: 'look', input: { page: turn * 100 + at, words: ['a b', 'ü"\\'] } },
    ...(at % 2 === 1 ? [{ name: 'note', input: { text: `note ${at}`, deep: { n: 1, last: null } } }] : []),
    ...(at % 3 === 2 ? [{ name: 'look', input: { page: 7 } }] : []),
  ],
  ...(at % 4 === 3 && { text: `On step ${at}.` }),
});

const createSteps = (turn: number) => Array.from({ length: 10 }, (_, at) => createStep(turn, at));

/** Two turns of ten iterations. Some have parallel calls, and some have text beside calls. */
export const longScript: Script = {
  turns: [
    { steps: createSteps(1), answer: 'The first answer.' },
    { steps: createSteps(2), answer: 'The second answer.' },
  ],
};

export const answers = longScript.turns.map(({ answer }) => answer);

/** The same script, with empty thinking in the steps at these positions. */
export const withoutThinkingAt = (...places: readonly number[]): Script => ({
  turns: longScript.turns.map((turn) => ({
    ...turn,
    steps: turn.steps.map((one, at) => (places.includes(at) ? { ...one, thinking: '' } : one)),
  })),
});

const input = jsonSchema<Record<string, unknown>>({ type: 'object', additionalProperties: true });
const tools = {
  look: tool({
    description: 'Looks.',
    inputSchema: input,
    execute: async (given) => ({ seen: given.page ?? null }),
  }),
  note: tool({ description: 'Notes.', inputSchema: input, execute: async () => 'noted' }),
};

export interface AskOptions {
  readonly model: LanguageModel;
  readonly stream?: boolean;
  readonly providerOptions?: Parameters<typeof generateText>[0]['providerOptions'];
}

/**
 * Asks two questions in one conversation, and returns the answers. If one fails, the error message is the
 * last answer.
 */
export async function askTwice({
  model,
  stream = false,
  providerOptions,
}: AskOptions): Promise<readonly string[]> {
  const messages: ModelMessage[] = [];
  const said: string[] = [];
  for (const question of ['First question.', 'Second question.']) {
    messages.push({ role: 'user', content: question });
    const settings = {
      model,
      tools,
      messages,
      stopWhen: stepCountIs(20),
      maxRetries: 0,
      ...(providerOptions !== undefined && { providerOptions }),
    };
    try {
      const { text, more } = await (stream ? streamReply(settings) : generateReply(settings));
      said.push(text);
      messages.push(...more);
    } catch (error) {
      return [...said, error instanceof Error ? error.message : String(error)];
    }
  }
  return said;
}

type Settings = Parameters<typeof generateText>[0];

async function generateReply(settings: Settings) {
  const result = await generateText(settings);
  return { text: result.text, more: result.responseMessages };
}

async function streamReply(settings: Settings) {
  let failure: unknown;
  const result = streamText({
    ...(settings as Parameters<typeof streamText>[0]),
    onError: ({ error }) => {
      failure = error;
    },
  });
  await result.consumeStream();
  if (failure !== undefined) throw failure;
  return { text: await result.text, more: await result.responseMessages };
}
