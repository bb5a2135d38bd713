import {
  type AgentConfig,
  type AnyTool,
  type CallContext,
  defineAgent,
  defineTool,
  type ToolSource,
} from '../../../../src/index.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';

/** A `read` tool that does one thing. */
export const does = (
  name: string,
  run: (call: CallContext) => unknown = () => `${name} done`,
  description = `Does ${name}.`,
) => defineTool({ name, description, effect: 'read', run: (_, call) => run(call) });

/** A session of an agent with these tools and a scripted model. */
export const sessionWith = (
  tools: readonly ToolSource[],
  replies: readonly ScriptedReply[],
  more: Partial<Omit<AgentConfig<string>, 'output'>> = {},
  warm = false,
): TestSession =>
  createTestSession(
    defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools, ...more }),
    { replies, warm },
  );

/** The same, each of whose turns is run by one invocation. */
export const warmWith: typeof sessionWith = (tools, replies, more) => sessionWith(tools, replies, more, true);

/** A reply that makes these calls; a name alone is called without input. */
export const calls = (...asked: readonly (string | readonly [string, unknown])[]) => ({
  calls: asked.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** The names of the tools that the model was offered with each request. */
export const offered = ({ requests }: TestSession): readonly (readonly string[])[] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

/** What the model was last told of a tool. */
export const told = ({ requests }: TestSession, name: string): string | undefined =>
  requests.at(-1)?.tools.find((tool) => tool.name === name)?.description;

/** The results that the model was shown with its last request, in order. */
export const results = ({ requests }: TestSession): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** What the model reads when an unfolding tool opens. */
export const opened = (...names: readonly string[]): string =>
  `Tools now available: ${names.join(', ')}. You MUST call one of these tools to complete the user's request. ` +
  'Do NOT respond with text — call a tool.';

/** A tool whose first call ends the Worker: what came before it is stored, and another Worker goes on with it. */
export function crash(session: () => TestSession, name = 'crash'): AnyTool {
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
