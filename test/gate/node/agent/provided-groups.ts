import {
  type AgentConfig,
  type AnyTool,
  defineAgent,
  defineTool,
  type Json,
  type ToolGroup,
  type ToolProvider,
  toolProvider,
} from '../../../../src/index.ts';
import { LISTINGS, listings } from '../../../../src/modules/listings/entry.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  type ToolGroupOptions,
} from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { ConfigurationError } from '../../../doors/model.ts';
import { createFact, memoize } from '../../../doors/tools.ts';
import { type RequestedGroup, resolveGroups, toGroupRequest } from '../../../fixtures/tool-groups.ts';

/** A `read` tool that returns its name. */
export const createNamedTool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => name });

export interface Catalog extends ToolProvider {
  /** The names of the tools that it returns to each request. */
  names: readonly string[];
  asked: number;
}

const createTools = memoize((names: readonly Json[]): readonly AnyTool[] =>
  names.map(String).map(createNamedTool),
);

/** Creates a remote catalog, whose tools a session knows only after a request. */
export function createCatalog(key: string, ...names: readonly string[]): Catalog {
  const provider = toolProvider({
    uses: [listings],
    discover: async () => {
      made.asked += 1;
      return [createFact(LISTINGS, { key, told: made.names })];
    },
    toolsNow: (view) => {
      const told = view?.recall(LISTINGS).find((listing) => listing.key === key)?.told;
      return Array.isArray(told) ? createTools(told) : [];
    },
  });
  const made = Object.assign(provider, { names, asked: 0 });
  return made;
}

/** Defines a group of these tools and providers. */
export const createGroup = (role: string, ...tools: readonly (AnyTool | ToolProvider)[]) =>
  defineToolGroup({ role, description: `Is ${role}.`, tools });

/** Defines an agent that requests these groups. */
export function createGroupAgent(groups: readonly RequestedGroup[], more: AgentOverrides = {}) {
  const { permissions, tools = [], ...others } = more;
  const asked = groups.map((one) => toGroupRequest(one, permissions));
  return defineAgent({
    name: 'clerk',
    description: 'Asks.',
    instructions: 'Ask.',
    ...others,
    tools: [...tools, ...asked],
  });
}

type AgentOverrides = Partial<AgentConfig<'clerk'>> & Pick<ToolGroupOptions, 'permissions'>;
type GroupAgent = ReturnType<typeof createGroupAgent>;

interface TurnOptions {
  readonly setting?: unknown;
  readonly groups?: readonly ToolGroup[];
  readonly replies?: readonly ScriptedReply[];
}

/** Returns a session after one turn of this agent. */
export async function runTurn(
  agent: GroupAgent,
  { setting, groups = [], replies = ['Done.'] }: TurnOptions = {},
) {
  const env = setting === undefined ? {} : { TOOL_GROUPS: setting };
  const session = createTestSession(agent, { replies, use: [registered(groups)], env });
  await session.send('Go.');
  return session;
}

/** Returns the names of the offered tools in each request. */
export const getOfferedTools = ({ requests }: Awaited<ReturnType<typeof runTurn>>): string[][] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

/** Returns the tool results in the last request. */
export const getResults = ({ requests }: Awaited<ReturnType<typeof runTurn>>): string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** Returns a reply that calls one tool. */
export const callTool = (name: string): ScriptedReply => ({ calls: [{ name }] });

/** Returns the message of the `ConfigurationError` that this agent causes when it is resolved. */
export function getConfigurationError(agent: GroupAgent, { setting, groups = [] }: TurnOptions = {}): string {
  try {
    resolveGroups({ groups, agents: [agent] })(agent, { TOOL_GROUPS: setting });
  } catch (failure) {
    if (failure instanceof ConfigurationError) return failure.message;
    throw failure;
  }
  return 'It was not refused.';
}
