import {
  type Agent,
  type AnyTool,
  defineAgent,
  defineTool,
  type InputDeclaration,
  type ToolSource,
} from '../../../../src/index.ts';
import { type AgenticToolConfig, defineAgenticTool } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import {
  createTestSession,
  type ScriptedReply,
  type TestSession,
  type TestSessionOptions,
} from '../../../../src/testing/entry.ts';

/** Returns a reply that calls these tools. Each is a name, or a name with its input. */
export const callTools = (...wanted: readonly (string | readonly [name: string, input: unknown])[]) => ({
  calls: wanted.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** Returns a reply that calls agents, each with a message. */
export const askAgents = (...agents: readonly string[]) =>
  callTools(...agents.map((agent) => [agent, { message: `To ${agent}.` }] as const));

export const TASK_SCHEMA = {
  type: 'object',
  properties: { task: { type: 'string' } },
  required: ['task'],
} as const;

/** Defines an agentic tool with an input and these tools. */
export const defineAgentic = <const Name extends string>(
  name: Name,
  tools: readonly ToolSource[],
  more: Partial<AgenticToolConfig<string, InputDeclaration>> = {},
): AnyTool =>
  defineAgenticTool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema(TASK_SCHEMA),
    instructions: `You ${name}.`,
    tools,
    ...more,
  });

export const createAgent = (
  name: string,
  tools: readonly ToolSource[] = [],
  more: Partial<Omit<Parameters<typeof defineAgent>[0], 'name'>> = {},
): Agent =>
  defineAgent({ name, description: `Is ${name}.`, instructions: `You are ${name}.`, tools, ...more });

/** Defines a `read` tool that returns this value. */
export const createAnsweringTool = (name: string, value: unknown) =>
  defineTool({ name, description: 'Answers.', effect: 'read', run: () => value });

/** Returns the system message and the last message of each request. */
export const summarizeRequests = (requests: readonly ModelRequest[]): string[] =>
  requests.map(({ messages: [first, ...rest] }) => `${first?.text} <- ${rest.at(-1)?.text}`);

/** Returns the results in the last request. */
export const getResults = ({ requests }: Pick<TestSession, 'requests'>): string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** Returns the names of the tools that each request offered. */
export const getOfferedTools = ({ requests }: Pick<TestSession, 'requests'>): string[][] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

/** Returns a script for parallel loops: each loop has its own replies, which its system message selects. */
export function replyByLoop(scripts: Readonly<Record<string, readonly ScriptedReply[]>>): ScriptedReply[] {
  const left = new Map(Object.entries(scripts).map(([loop, replies]) => [loop, [...replies]]));
  const replyFromScript = ({ messages: [first] }: ModelRequest): ScriptedReply =>
    left.get(first?.text ?? '')?.shift() ?? `No reply left for '${first?.text}'.`;
  return Array.from({ length: 200 }, () => replyFromScript);
}

/** Runs a turn of an agent named `boss` with these tools, and returns the results that its model read. */
export async function runTurn(
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  options: Partial<TestSessionOptions> & { readonly boss?: Parameters<typeof createAgent>[2] } = {},
) {
  const { boss, ...more } = options;
  const session = createTestSession(createAgent('boss', tools, boss), { ...more, replies, model: undefined });
  const answer = await session.send('Go.');
  return { session, answer, read: getResults(session) };
}
