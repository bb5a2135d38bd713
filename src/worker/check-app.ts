import type { Agent } from '../agent/define-agent.ts';
import { findModelProblem } from '../loop/loop-seams.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { describeUnknownAgent } from '../tool/shown.ts';

interface CheckedApp {
  readonly agents: readonly Agent[];
  readonly model?: ChatModel | ((env: never) => ChatModel) | undefined;
  readonly use?: readonly ModuleUse[] | undefined;
  readonly http?: unknown;
}

/**
 * Runs in development only. @throws ConfigurationError if a key is unknown, missing or of another type, a
 * list has an invalid item, an agent has no model, the app's model does not fit its modules, or a tool uses
 * an agent that the app lacks. In production the turns fail instead.
 */
export function checkApp(config: CheckedApp): void {
  literals?.refuse(ConfigurationError, literals.appProblem(config, findModelRefusal));
}

/**
 * Returns why the app's model does not fit these modules. A model that comes from an environment is known
 * only in turns.
 */
const findModelRefusal = (
  model: NonNullable<CheckedApp['model']> | undefined,
  uses: readonly ModuleUse[],
): string | undefined =>
  model === undefined || typeof model === 'function' ? undefined : findModelProblem(uses, model);

/**
 * Checks that an app has an agent. `what`: the place that refers to it, as in `Agent 'a' has the subagent`.
 *
 * @throws ConfigurationError if it does not. In development, the message suggests the closest name.
 */
export function assertKnownAgent(agents: ReadonlyMap<string, unknown>, what: string, name: string): void {
  if (agents.has(name)) return;
  throw new ConfigurationError(describeUnknownAgent(what, name, literals?.meant(name, agents.keys())));
}

/** Returns agents by their names. @throws ConfigurationError if two have the same name. */
export function mapAgentsByName(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const named = new Map<string, Agent>();
  for (const agent of agents) {
    if (named.has(agent.name)) throw new ConfigurationError(`Two agents are named '${agent.name}'.`);
    named.set(agent.name, agent);
  }
  return named;
}
