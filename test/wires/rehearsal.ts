/**
 * Plays a script through the AI SDK's own loop: what its packages keep and send back is what a strict server has to
 * take. Each turn ends with its answer, and the history that `ai` kept goes into the next.
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

const call = (name: string, n: number) => ({ name, input: { query: `${name} ${n}`, n } });

/** Ten replies that call, three of them twice at once, and an answer; then a turn of three and another answer. */
export const rehearsalScript: Script = {
  turns: [
    { steps: Array.from({ length: 10 }, (_, step) => stepOf(step)), answer: 'All ten are done.' },
    { steps: Array.from({ length: 3 }, (_, step) => stepOf(step + 10)), answer: 'And three more.' },
  ],
};

function stepOf(step: number): ScriptStep {
  const calls =
    step % 4 === 1 ? [call('search', step), call('add', step)] : [call(step % 2 ? 'add' : 'search', step)];
  return { calls, ...(step % 3 === 0 && { text: `Step ${step + 1} comes.` }) };
}

const input = jsonSchema<{ query: string; n: number }>({
  type: 'object',
  properties: { query: { type: 'string' }, n: { type: 'number' } },
  required: ['query', 'n'],
});

/** The tools that the script calls; what they answer follows from what they are asked. */
export const rehearsalTools: ToolSet = {
  search: tool({ description: 'Searches.', inputSchema: input, execute: ({ query }) => `Found: ${query}` }),
  add: tool({ description: 'Adds one.', inputSchema: input, execute: ({ n }) => ({ sum: n + 1 }) }),
};

export const rehearsalInstructions = 'Be brief.';

export interface Rehearsal {
  readonly model: LanguageModel;
  readonly stream: boolean;
  readonly providerOptions?: SharedV4ProviderOptions;
  /** The tools of the script unless others are named. */
  readonly tools?: ToolSet;
}

/** Answers one user's message, and returns what was said with all that was said before it. */
export function playTurn(
  rehearsal: Rehearsal,
  before: readonly ModelMessage[],
  text: string,
): Promise<ModelMessage[]> {
  return goOn(rehearsal, [...before, { role: 'user', content: text }]);
}

/** Lets the model answer the messages as they are, and returns them with what it said. */
export async function goOn(
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
