import type { Agent } from '../../agent/define-agent.ts';
import type { ResolvingApp } from '../../agent/resolve-agent.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { changedTools, withProviders } from '../../sources/resolution/resolve-tools.ts';
import { requiredTools } from '../../sources/resolution/tool-provider.ts';
import type { ToolGroup, ToolProvider } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { paragraphs, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { type Log, warning } from '../../tool/log.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { usesOf } from '../../tool/uses.ts';
import { withMetadata } from '../../tool/with.ts';
import { type EnvironmentGroups, environmentGroups } from './environment-groups.ts';
import { isGroupRequest, type ToolGroupRequest } from './tool-group.ts';

type Env = Readonly<Record<string, unknown>>;

/**
 * Makes a function that gives an agent the tool groups it requests, as an environment has them. The function
 * returns the same object for the same agent and environment, and the agent itself if it requests no groups.
 * The var `TOOL_GROUPS` can also name tools of the groups that the app's agents list themselves.
 *
 * The function throws a ConfigurationError if a group is missing, not allowed, or configured wrongly.
 */
export function filling(
  { agents, log }: ResolvingApp,
  groups: readonly ToolGroup[],
): (agent: Agent, env: Env) => Agent {
  const given = agents.flatMap(({ asks }) => asks.filter(isGroupRequest).flatMap(({ group }) => group ?? []));
  const resolved = new WeakMap<Env, WeakMap<Agent, Agent>>();
  return (agent, env) => {
    if (!agent.needsApp) return agent;
    const ofEnv = resolved.get(env) ?? new WeakMap<Agent, Agent>();
    resolved.set(env, ofEnv);
    const known = ofEnv.get(agent);
    if (known) return known;
    const made = resolve(agent, environmentGroups(env.TOOL_GROUPS, groups, given), log);
    ofEnv.set(agent, made);
    return made;
  };
}

function resolve(agent: Agent, environment: EnvironmentGroups, log: Log): Agent {
  const chosen = agent.asks
    .filter(isGroupRequest)
    .flatMap((request) => chooseGroup({ agent, environment, log }, request) ?? []);
  const groups = [...new Set(chosen.map(({ group }) => group))];
  const notes = groups.flatMap(({ role, childToolUsageNotes: text }) =>
    text === undefined ? [] : [`Notes on the tools of group '${role}':\n${text}`],
  );
  const providers = [...agent.providers, ...groups.flatMap((group) => providersOf(agent, group, chosen))];
  const tools = allTools(agent, groups);
  return {
    ...agent,
    instructions: paragraphs(agent.instructions, ...new Set(notes)),
    tools,
    providers,
    sources: withProviders(agent.sources, providers),
    uses: [...new Set([...agent.uses, ...usesOf([...tools, ...providers])])],
    asks: [],
    needsApp: false,
  };
}

/** @throws ConfigurationError if two different tools share a name: the model could mean either. */
function allTools(agent: Agent, groups: readonly ToolGroup[]): readonly AnyTool[] {
  const origins = new Map(agent.tools.map((tool) => [tool.name, { tool, from: 'its own' }]));
  const added: AnyTool[] = [];
  for (const group of groups) {
    const from = `one of tool group '${group.role}'`;
    for (const tool of group.tools) {
      const known = origins.get(tool.name);
      if (known === undefined) added.push(withMetadata(tool, 'toolGroup', card(group)));
      else if (known.tool !== tool) throw twoOf(agent.name, tool.name, [known.from, from]);
      origins.set(tool.name, { tool, from });
    }
  }
  return [...agent.tools, ...added];
}

/**
 * Returns the providers of a group, whose tools get the group's card, and then a provider of stand-ins for
 * missing tools.
 */
function providersOf(agent: Agent, group: ToolGroup, chosen: readonly ChosenGroup[]): ToolProvider[] {
  const toolGroup = card(group);
  const carded = (provider: ToolProvider): ToolProvider =>
    changedTools(provider, (tool) => withMetadata(tool, 'toolGroup', toolGroup));
  const { name, description } = group;
  const providers = group.providers.map((provider) => ({
    ...carded(provider),
    about: { name, description, ...provider.about, metadata: { ...provider.about?.metadata, toolGroup } },
  }));
  const required = chosen.flatMap((one) => (one.group === group ? one.required : []));
  return required.length === 0 ? providers : [...providers, carded(standIns(agent, required, providers))];
}

/** @throws ConfigurationError if a name is not a valid tool name. */
function standIns(agent: Agent, names: readonly string[], providers: readonly ToolProvider[]): ToolProvider {
  try {
    return requiredTools(names, providers);
  } catch (cause) {
    if (!(cause instanceof ToolDefinitionError)) throw cause;
    throw new ConfigurationError(`Agent '${agent.name}' requires a tool that cannot be. ${cause.message}`);
  }
}

const twoOf = (agent: string, tool: string, [one, other]: readonly [string, string]): ConfigurationError =>
  new ConfigurationError(
    `Agent '${agent}' would have two tools of the name '${tool}': ${one}, and ${other}${literals?.renameOne() ?? ''}.`,
  );

/** The metadata on the group for programs that list an agent's tools. */
const card = ({ role, name, description, provider, version, permissions }: ToolGroup) => ({
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
  /** Names of tools that the agent requires and that only the group's providers may have. */
  readonly required: readonly string[];
}

/**
 * The input of `chooseGroup`: the agent, the environment's groups, and the log for missing optional groups.
 */
interface Choosing {
  readonly agent: Agent;
  readonly environment: EnvironmentGroups;
  readonly log: Log;
}

/**
 * Returns the group for a request, or `undefined` if the request is optional and no such group has tools. A
 * missing group is an error by default, since a model without its expected tools makes up their results.
 *
 * @throws ConfigurationError that names the missing group and the available ones.
 */
function chooseGroup(
  { agent, environment, log }: Choosing,
  { role, group: given, required = [], optional, permissions = [] }: ToolGroupRequest,
): ChosenGroup | undefined {
  const group = given ? environment.narrow(given) : environment.groups.find((one) => one.role === role);
  const problem = group ? emptiness(agent, group) : absence(agent, role, environment.groups);
  if (group === undefined || problem !== undefined) {
    if (!optional) throw new ConfigurationError(problem ?? '');
    log(warning(`${problem} It is optional, so the agent goes without.`));
    return undefined;
  }
  const missing = required.filter((name) => !group.tools.some((tool) => tool.name === name));
  if (group.providers.length === 0 && missing.length > 0) throw lacking(agent, group, missing);
  mustBeAllowed(agent, group, permissions);
  return { group, required: missing };
}

const absence = (agent: Agent, role: string, groups: readonly ToolGroup[]): string =>
  `No tool group matching role '${shorten(role, 80)}', which agent '${agent.name}' asks for. ` +
  `Registered roles: ${listed([...new Set(groups.map((group) => group.role))])}.`;

/** Providers are not asked for tools only to learn whether they have any. */
const emptiness = (agent: Agent, { role, tools, providers }: ToolGroup): string | undefined =>
  tools.length + providers.length > 0
    ? undefined
    : `Tool group '${role}', which agent '${agent.name}' asks for, has no tools in this environment.`;

const lacking = (agent: Agent, { role, tools }: ToolGroup, missing: readonly string[]): ConfigurationError =>
  new ConfigurationError(
    `Tool group '${role}' lacks tools that agent '${agent.name}' requires: ${listed(missing)}. ` +
      `It has: ${listed(tools.map(({ name }) => name))}.`,
  );

function mustBeAllowed(
  { name }: Agent,
  { role, permissions }: ToolGroup,
  allowed: NonNullable<ToolGroupRequest['permissions']>,
): void {
  const refused = permissions.filter((permission) => !allowed.includes(permission));
  if (refused.length === 0) return;
  throw new ConfigurationError(
    `Tool group '${role}' needs permissions that agent '${name}' does not give: ${listed(refused)}. ` +
      'Add them where the agent lists it: toolGroup(group, { permissions }).',
  );
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `'${shorten(name, 80)}'`).join(', ');
