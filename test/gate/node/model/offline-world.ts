import type { ModelMessage, RequestedCall, ToolDefinition } from '../../../../src/model/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';

/** A test tool: its definition, and the function that returns its result. */
export interface WorldTool extends ToolDefinition {
  readonly run: (input: Readonly<Record<string, unknown>>) => unknown;
}

export interface Conversation {
  readonly messages: ModelMessage[];
  /** The calls of each reply in the latest turn, in the form `name {"input":1}`. */
  readonly replies: string[][];
  readonly answer: string;
}

/** Defines a tool. Its parameters are required. If only their names are listed, they are strings. */
export const createWorldTool = (
  name: string,
  description: string,
  parameters: Readonly<Record<string, unknown>> | readonly string[],
  run: WorldTool['run'] = () => 'ok',
): WorldTool => {
  const properties = Array.isArray(parameters)
    ? Object.fromEntries(parameters.map((key: string) => [key, { type: 'string' }]))
    : { ...parameters };
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { name, description, inputSchema, run };
};

/** Sends a message to the offline model, and runs the tools that it calls until it answers. */
export async function say(
  text: string,
  tools: readonly WorldTool[],
  before: readonly ModelMessage[] = [],
): Promise<Conversation> {
  const messages: ModelMessage[] = [...before, { role: 'user', text }];
  const replies: string[][] = [];
  for (let iteration = 0; iteration < 20; iteration += 1) {
    const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const reply = await offlineModel().ask(
      { messages, tools: offered },
      { signal: new AbortController().signal },
    );
    messages.push({ role: 'assistant', text: reply.text, toolCalls: reply.toolCalls });
    if (reply.toolCalls.length === 0) return { messages, replies, answer: reply.text };
    replies.push(reply.toolCalls.map(({ name, input }) => `${name} ${input}`));
    for (const call of reply.toolCalls)
      messages.push({ role: 'tool', id: call.id, name: call.name, text: run(call, tools) });
  }
  throw new Error('The offline model did not answer within 20 replies.');
}

function run({ name, input }: RequestedCall, tools: readonly WorldTool[]): string {
  const found = tools.find((tool) => tool.name === name);
  const result = found?.run(JSON.parse(input));
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}
