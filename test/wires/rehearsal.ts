/**
 * Plays a script with the AI SDK's own loop. A strict server must accept the messages that the SDK's packages
 * store and send back. Each turn ends with its answer, and the next turn continues with the history from
 * `ai`.
 */
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import type { Script, ScriptStep } from './wire.ts';

const createCall = (name: string, n: number) => ({ name, input: { query: `${name} ${n}`, n } });

/**
 * A turn of ten replies with calls, three of which have two parallel calls, and an answer. Then a turn of three
 * replies with calls and an answer.
 */
export const rehearsalScript: Script = {
  turns: [
    { steps: Array.from({ length: 10 }, (_, step) => createStep(step)), answer: 'All ten are done.' },
    { steps: Array.from({ length: 3 }, (_, step) => createStep(step + 10)), answer: 'And three more.' },
  ],
};

function createStep(step: number): ScriptStep {
  const calls =
    step % 4 === 1
      ? [createCall('search', step), createCall('add', step)]
      : [createCall(step % 2 ? 'add' : 'search', step)];
  return { calls, ...(step % 3 === 0 && { text: `Step ${step + 1} comes.` }) };
}

const input = jsonSchema<{ query: string; n: number }>({
  type: 'object',
  properties: { query: { type: 'string' }, n: { type: 'number' } },
  required: ['query', 'n'],
});

/** The tools of the script. Their results depend only on their inputs. */
export const rehearsalTools: ToolSet = {
  search: tool({ description: 'Searches.', inputSchema: input, execute: ({ query }) => `Found: ${query}` }),
  add: tool({ description: 'Adds one.', inputSchema: input, execute: ({ n }) => ({ sum: n + 1 }) }),
};

export const rehearsalInstructions = 'Be brief.';

export interface Rehearsal {
  readonly model: LanguageModel;
  readonly stream: boolean;
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Defaults to the tools of the script. */
  readonly tools?: ToolSet;
}

/** Runs a turn for a user message. Returns its messages after all earlier ones. */
export function playTurn(
  rehearsal: Rehearsal,
  before: readonly ModelMessage[],
  text: string,
): Promise<ModelMessage[]> {
  return playNextTurn(rehearsal, [...before, { role: 'user', content: text }]);
}

/** Continues the conversation with the model. Returns the messages with its replies. */
export async function playNextTurn(
  { model, stream, providerOptions = {}, tools = rehearsalTools }: Rehearsal,
  messages: ModelMessage[],
): Promise<ModelMessage[]> {
  const options = {
    model,
    messages,
    instructions: rehearsalInstructions,
    tools,
    providerOptions,
    stopWhen: stepCountIs(20),
    maxRetries: 0,
  };
  if (!stream) return [...messages, ...(await generateText(options)).responseMessages];
  const failures: unknown[] = [];
  const streamed = streamText({ ...options, onError: ({ error }) => void failures.push(error) });
  await streamed.consumeStream();
  if (failures.length > 0) throw failures[0];
  return [...messages, ...(await streamed.responseMessages)];
}
