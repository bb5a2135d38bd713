import { ConfigurationError } from '../../model/configuration-error.ts';
import { withProviders } from '../../tool-loop/dynamic-tools.ts';
import { withMetadata } from '../../tools/decorators/with-metadata.ts';
import type { ToolGroup } from '../../tools/groups/define-tool-group.ts';
import { paragraphs } from '../../tools/paragraphs.ts';
import { changedTools } from '../../tools/resolution/changed-tools.ts';
import { requiredTools } from '../../tools/resolution/required-tools.ts';
import type { ToolProvider } from '../../tools/resolution/tool-source.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { ToolDefinitionError } from '../../tools/tool-definition-error.ts';
import type { Agent } from '../define-agent.ts';
import { type ChosenGroup, chooseGroup } from './choose-group.ts';
import { type EnvironmentGroups, environmentGroups } from './environment-groups.ts';
import { isToolGroup } from './tool-group-request.ts';

/** The Worker's vars, secrets and bindings. */
type Env = Readonly<Record<string, unknown>>;

/** What code has registered. */
export interface Registered {
  /** Groups that are asked for by role. */
  readonly groups: readonly ToolGroup[];
  /** The groups that these agents were given as they are may be named by settings. */
  readonly agents: readonly Agent[];
}

/**
 * Makes the function that gives an agent the tool groups it asks for, as an environment has them (TGR-01). It answers
 * the same object for the same agent and environment, and the agent itself when it asks for none.
 *
 * It throws a ConfigurationError when a group is missing, not allowed, or wrongly configured.
 */
export function agentResolver({ groups, agents }: Registered): (agent: Agent, env: Env) => Agent {
  const given = agents.flatMap(({ toolGroups }) => toolGroups.filter(isToolGroup));
  const resolved = new WeakMap<Env, WeakMap<Agent, Agent>>();
  return (agent, env) => {
    if (!agent.needsApp) return agent;
    const ofEnv = resolved.get(env) ?? new WeakMap<Agent, Agent>();
    resolved.set(env, ofEnv);
    const known = ofEnv.get(agent);
    if (known) return known;
    const made = resolve(agent, environmentGroups(env.TOOL_GROUPS, groups, given));
    ofEnv.set(agent, made);
    return made;
  };
}

function resolve(agent: Agent, environment: EnvironmentGroups): Agent {
  const chosen = agent.toolGroups.flatMap((request) => chooseGroup(agent, request, environment) ?? []);
  const groups = [...new Set(chosen.map(({ group }) => group))];
  const notes = groups.flatMap(({ role, childToolUsageNotes: text }) =>
    text === undefined ? [] : [`Notes on the tools of group '${role}':\n${text}`],
  );
  const providers = [...agent.providers, ...groups.flatMap((group) => providersOf(agent, group, chosen))];
  return {
    ...agent,
    instructions: paragraphs(agent.instructions, ...new Set(notes)),
    tools: allTools(agent, groups),
    providers,
    sources: withProviders(agent.sources, providers),
    toolGroups: [],
    needsApp: false,
  };
}

/** @throws ConfigurationError when two different tools share a name: the model could mean either (AEV-05). */
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

/** Those of a group, each of their tools with its card; then what stands in for those that they lack (TGR-06). */
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
    `Agent '${agent}' would have two tools of the name '${tool}': ${one}, and ${other}.`,
  );

/** What programs that list an agent's tools are told of their group (TGR-04). */
const card = ({ role, name, description, provider, version, permissions }: ToolGroup) => ({
  role,
  name,
  description,
  provider,
  version,
  permissions,
});
