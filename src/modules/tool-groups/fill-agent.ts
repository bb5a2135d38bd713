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

/** The Worker's vars, secrets and bindings. */
type Env = Readonly<Record<string, unknown>>;

/**
 * Makes the function that gives an agent the tool groups it asks for, as an environment has them. It returns the same object for the same
 * agent and environment, and the agent itself if it asks for none. The groups that the app's agents were given as they are may be named by
 * the var `TOOL_GROUPS` too.
 *
 * It throws a ConfigurationError when a group is missing, not allowed, or wrongly configured.
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

/** @throws ConfigurationError when two different tools share a name: the model could mean either. */
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

/** Lists the providers of a group, whose tools bear its card, and then what stands in for the tools that they lack. */
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

/** @throws ConfigurationError for a name that no tool can have. */
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

/** What programs that list an agent's tools are told of their group. */
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
  /** Names of tools that the agent requires, and that only the group's providers may have. */
  readonly required: readonly string[];
}

/** Whose groups are chosen, where, and who is told of what it goes without. */
interface Choosing {
  readonly agent: Agent;
  readonly environment: EnvironmentGroups;
  readonly log: Log;
}

/**
 * The group that answers a request, or `undefined` when it is optional and there is none with tools. A model that lacks
 * the tools it was told of makes their answers up, so a missing group is an error unless the agent says otherwise.
 *
 * @throws ConfigurationError that names what is missing and what there is.
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

/** What providers have is not asked for only to find out whether there is anything. */
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
