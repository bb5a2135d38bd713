import type { Agent } from '../../agent/define-agent.ts';
import type { ResolvingApp } from '../../agent/resolve-agent.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { mapProviderTools, withProviders } from '../../sources/resolution/resolve-tools.ts';
import { createRequiredToolProvider } from '../../sources/resolution/tool-provider.ts';
import type { ToolGroup, ToolProvider } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { joinParagraphs, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createWarningEntry, type Log } from '../../tool/log.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { collectUses } from '../../tool/uses.ts';
import { withMetadata } from '../../tool/with.ts';
import { type EnvironmentGroups, readEnvironmentGroups } from './environment-groups.ts';
import { isGroupRequest, type ToolGroupRequest } from './tool-group.ts';

type AgentEnv = Readonly<Record<string, unknown>>;

/**
 * Creates a function that adds the tool groups that an agent requests, as configured in an environment. The
 * function returns the same object for the same agent and environment, and the agent itself if it requests no
 * groups. The var `TOOL_GROUPS` can also name tools of the groups that the app's agents list themselves.
 *
 * The function throws a ConfigurationError if a group is missing, not allowed, or misconfigured.
 */
export function createAgentFiller(
  { agents, log }: ResolvingApp,
  groups: readonly ToolGroup[],
): (agent: Agent, env: AgentEnv) => Agent {
  const given = agents.flatMap(({ asks }) => asks.filter(isGroupRequest).flatMap(({ group }) => group ?? []));
  const resolved = new WeakMap<AgentEnv, WeakMap<Agent, Agent>>();
  return (agent, env) => {
    if (!agent.needsApp) return agent;
    const ofEnv = resolved.get(env) ?? new WeakMap<Agent, Agent>();
    resolved.set(env, ofEnv);
    const known = ofEnv.get(agent);
    if (known) return known;
    const made = fillAgent(agent, readEnvironmentGroups(env.TOOL_GROUPS, groups, given), log);
    ofEnv.set(agent, made);
    return made;
  };
}

function fillAgent(agent: Agent, environment: EnvironmentGroups, log: Log): Agent {
  const chosen = agent.asks
    .filter(isGroupRequest)
    .flatMap((request) => chooseGroup({ agent, environment, log }, request) ?? []);
  const groups = [...new Set(chosen.map(({ group }) => group))];
  const notes = groups.flatMap(({ role, childToolUsageNotes: text }) =>
    text === undefined ? [] : [`Notes on the tools of group '${role}':\n${text}`],
  );
  const providers = [...agent.providers, ...groups.flatMap((group) => listProviders(agent, group, chosen))];
  const tools = listAllTools(agent, groups);
  return {
    ...agent,
    instructions: joinParagraphs(agent.instructions, ...new Set(notes)),
    tools,
    providers,
    sources: withProviders(agent.sources, providers),
    uses: [...new Set([...agent.uses, ...collectUses([...tools, ...providers])])],
    asks: [],
    needsApp: false,
  };
}

/**
 * Returns the tools of an agent and its groups. @throws ConfigurationError if two different tools share a
 * name, since a call would be ambiguous.
 */
function listAllTools(agent: Agent, groups: readonly ToolGroup[]): readonly AnyTool[] {
  const origins = new Map(agent.tools.map((tool) => [tool.name, { tool, from: 'its own' }]));
  const added: AnyTool[] = [];
  for (const group of groups) {
    const from = `one of tool group '${group.role}'`;
    for (const tool of group.tools) {
      const known = origins.get(tool.name);
      if (known === undefined) added.push(withMetadata(tool, 'toolGroup', toCard(group)));
      else if (known.tool !== tool) throw createDuplicateToolError(agent.name, tool.name, [known.from, from]);
      origins.set(tool.name, { tool, from });
    }
  }
  return [...agent.tools, ...added];
}

/**
 * Returns the providers of a group, whose tools get the group's card, followed by a provider of placeholders
 * for missing tools.
 */
function listProviders(agent: Agent, group: ToolGroup, chosen: readonly ChosenGroup[]): ToolProvider[] {
  const toolGroup = toCard(group);
  const addCard = (provider: ToolProvider): ToolProvider =>
    mapProviderTools(provider, (tool) => withMetadata(tool, 'toolGroup', toolGroup));
  const { name, description } = group;
  const providers = group.providers.map((provider) => ({
    ...addCard(provider),
    about: { name, description, ...provider.about, metadata: { ...provider.about?.metadata, toolGroup } },
  }));
  const required = chosen.flatMap((one) => (one.group === group ? one.required : []));
  return required.length === 0
    ? providers
    : [...providers, addCard(createStandIns(agent, required, providers))];
}

/** Creates the placeholders. @throws ConfigurationError if a name is not a valid tool name. */
function createStandIns(
  agent: Agent,
  names: readonly string[],
  providers: readonly ToolProvider[],
): ToolProvider {
  try {
    return createRequiredToolProvider(names, providers);
  } catch (cause) {
    if (!(cause instanceof ToolDefinitionError)) throw cause;
    throw new ConfigurationError(`Agent '${agent.name}' requires a tool that cannot exist: ${cause.message}`);
  }
}

const createDuplicateToolError = (
  agent: string,
  tool: string,
  [one, other]: readonly [string, string],
): ConfigurationError =>
  new ConfigurationError(
    `Agent '${agent}' would have two tools named '${tool}': ${one}, and ${other}${literals?.renameOne() ?? ''}.`,
  );

/** The metadata on the group for programs that list an agent's tools. */
const toCard = ({ role, name, description, provider, version, permissions }: ToolGroup) => ({
  role,
  name,
  description,
  provider,
  version,
  permissions,
});

/** A group that was chosen for an agent. */
interface ChosenGroup {
  readonly group: ToolGroup;
  /** The names of required tools that only the group's providers may have. */
  readonly required: readonly string[];
}

/**
 * The input of `chooseGroup`: the agent, the environment's groups, and the log for missing optional groups.
 */
interface ChoiceContext {
  readonly agent: Agent;
  readonly environment: EnvironmentGroups;
  readonly log: Log;
}

/**
 * Returns the group for a request, or `undefined` if the request is optional and no such group has tools. A
 * missing group is an error by default, since a model without its expected tools invents their results.
 *
 * @throws ConfigurationError that names the missing group and the available ones.
 */
function chooseGroup(
  { agent, environment, log }: ChoiceContext,
  { role, group: given, required = [], optional, permissions = [] }: ToolGroupRequest,
): ChosenGroup | undefined {
  const group = given ? environment.narrow(given) : environment.groups.find((one) => one.role === role);
  const problem = group
    ? findEmptyGroupProblem(agent, group)
    : formatAbsentGroup(agent, role, environment.groups);
  if (group === undefined || problem !== undefined) {
    if (!optional) throw new ConfigurationError(problem ?? '');
    log(createWarningEntry(`${problem} It is optional, so the agent runs without it.`));
    return undefined;
  }
  const missing = required.filter((name) => !group.tools.some((tool) => tool.name === name));
  if (group.providers.length === 0 && missing.length > 0)
    throw createLackingToolsError(agent, group, missing);
  assertAllowed(agent, group, permissions);
  return { group, required: missing };
}

const formatAbsentGroup = (agent: Agent, role: string, groups: readonly ToolGroup[]): string =>
  `No tool group matching role '${shorten(role, 80)}', which agent '${agent.name}' asks for. ` +
  `Registered roles: ${joinNames([...new Set(groups.map((group) => group.role))])}.`;

/**
 * Returns the problem if a group has no tools. Does not query providers to find out whether they have tools.
 */
const findEmptyGroupProblem = (agent: Agent, { role, tools, providers }: ToolGroup): string | undefined =>
  tools.length + providers.length > 0
    ? undefined
    : `Tool group '${role}', which agent '${agent.name}' asks for, has no tools in this environment.`;

const createLackingToolsError = (
  agent: Agent,
  { role, tools }: ToolGroup,
  missing: readonly string[],
): ConfigurationError =>
  new ConfigurationError(
    `Tool group '${role}' lacks tools that agent '${agent.name}' requires: ${joinNames(missing)}. ` +
      `It has: ${joinNames(tools.map(({ name }) => name))}.`,
  );

function assertAllowed(
  { name }: Agent,
  { role, permissions }: ToolGroup,
  allowed: NonNullable<ToolGroupRequest['permissions']>,
): void {
  const refused = permissions.filter((permission) => !allowed.includes(permission));
  if (refused.length === 0) return;
  throw new ConfigurationError(
    `Tool group '${role}' needs permissions that agent '${name}' does not give: ${joinNames(refused)}. ` +
      'Add them where the agent lists it: toolGroup(group, { permissions }).',
  );
}

const joinNames = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `'${shorten(name, 80)}'`).join(', ');
