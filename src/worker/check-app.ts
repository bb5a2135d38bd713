import type { Agent } from '../agent/define-agent.ts';
import { refusedModel } from '../loop/loop-seams.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { ended } from '../tool/shown.ts';

interface AgentsOf {
  readonly agents: readonly Agent[];
}

/** In development: @throws ConfigurationError if a key is unknown, missing or of another kind, or a list holds something else. */
export function checkApp(config: unknown): void {
  const fault = literals?.fault(config, 'createHoldfast');
  if (fault) throw new ConfigurationError(`createHoldfast ${ended(fault.problem)}`);
  const inHttp = literals?.innerFault(Object(config).http, 'http');
  if (inHttp) {
    const { path, value, use } = inHttp;
    throw new ConfigurationError(`createHoldfast has ${value} as its 'http.${path}': use ${use}.`);
  }
}

/** Where a model comes from, for an app that has none. */
export const GIVE_MODEL =
  "Give createHoldfast one, such as openaiCompatible() of 'holdfast/models/openai-compatible'.";

/** In development: @throws ConfigurationError that names the agents without a model, if the app has none either. */
export function checkModels({ agents, model }: AgentsOf & { readonly model?: unknown }): void {
  const subject = model === undefined && literals?.withoutModel(agents);
  if (subject) throw new ConfigurationError(`${subject} no model, and neither has the app. ${GIVE_MODEL}`);
}

/** In development: @throws ConfigurationError if a tool of an agent asks an agent that the app lacks. In production its calls say so. */
export function checkSubagents({ agents }: AgentsOf): void {
  const known = byName(agents);
  for (const { by, asked } of literals?.askedAgents(agents) ?? [])
    mustHaveAgent(known, `Agent '${by}' has the subagent`, asked);
}

/**
 * Checks that an app has an agent. `what`: what names it, as in `Agent 'a' has the subagent`.
 *
 * @throws ConfigurationError if it has not; in development with the name that was probably meant.
 */
export function mustHaveAgent(agents: ReadonlyMap<string, unknown>, what: string, name: string): void {
  if (agents.has(name)) return;
  const meant = literals?.meant(name, agents.keys()) ?? '';
  throw new ConfigurationError(`${what} '${name}', which is not among the agents.${meant}`);
}

/** Returns agents by their names. @throws ConfigurationError if two have the same name. */
export function byName(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const named = new Map<string, Agent>();
  for (const agent of agents) {
    if (named.has(agent.name)) throw new ConfigurationError(`Two agents are called '${agent.name}'.`);
    named.set(agent.name, agent);
  }
  return named;
}

/** In development: @throws ConfigurationError if a module cannot be used with the app's model. In production turns find it. */
export function checkModel(
  { agents, model }: AgentsOf & { readonly model?: ChatModel | ((env: never) => ChatModel) | undefined },
  appWide: readonly ModuleUse[],
): void {
  if (model === undefined || typeof model === 'function') return;
  const problem = literals?.modelRefusal(agents, (uses) => refusedModel([...appWide, ...uses], model));
  if (problem !== undefined) throw new ConfigurationError(problem);
}
