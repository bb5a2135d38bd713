import {
  type AgentConfig,
  type AnyTool,
  type CallContext,
  defineAgent,
  defineTool,
  type ToolSource,
} from '../../../../src/index.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';

/** Defines a `read` tool that runs this function, which defaults to reporting the tool's name. */
export const createTool = (
  name: string,
  run: (call: CallContext) => unknown = () => `${name} done`,
  description = `Does ${name}.`,
) => defineTool({ name, description, effect: 'read', run: (_, call) => run(call) });

/** Returns a session of an agent with these tools and a scripted model. */
export const createSession = (
  tools: readonly ToolSource[],
  replies: readonly ScriptedReply[],
  more: Partial<Omit<AgentConfig<string>, 'output'>> = {},
  warm = false,
): TestSession =>
  createTestSession(
    defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools, ...more }),
    { replies, warm },
  );

/** Returns such a session that runs each turn in one invocation. */
export const createWarmSession: typeof createSession = (tools, replies, more) =>
  createSession(tools, replies, more, true);

/** Makes a reply with these calls. Each is a tool name, or a name with its input. */
export const callTools = (...asked: readonly (string | readonly [string, unknown])[]) => ({
  calls: asked.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** Returns the names of the offered tools in each request. */
export const getOfferedTools = ({ requests }: TestSession): readonly (readonly string[])[] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

/** Returns the description of a tool in the last request. */
export const findDescription = ({ requests }: TestSession, name: string): string | undefined =>
  requests.at(-1)?.tools.find((tool) => tool.name === name)?.description;

/** Returns the tool results in the last request, in order. */
export const getLastResults = ({ requests }: TestSession): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** Returns the result of the call that opens an unfolding tool. */
export const formatOpenedText = (...names: readonly string[]): string =>
  `Tools now available: ${names.join(', ')}. You MUST call one of these tools to complete the user's request. ` +
  'Do NOT respond with text — call a tool.';

/**
 * Returns a tool whose first call kills the Worker after earlier events were stored. Another Worker resumes.
 */
export function createCrashTool(session: () => TestSession, name = 'crash'): AnyTool {
  let isFirst = true;
  return defineTool({
    name,
    description: 'Crashes.',
    effect: 'idempotent',
    run: () => {
      if (isFirst) session().kill();
      isFirst = false;
      return 'crashed';
    },
  });
}
