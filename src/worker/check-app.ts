import type { Agent } from '../agent/define-agent.ts';
import { refusedModel } from '../loop/loop-seams.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { notAmong } from '../tool/shown.ts';

/** What is checked of an app. */
interface CheckedApp {
  readonly agents: readonly Agent[];
  readonly model?: ChatModel | ((env: never) => ChatModel) | undefined;
  readonly use?: readonly ModuleUse[] | undefined;
  readonly http?: unknown;
}

/**
 * In development: @throws ConfigurationError if a key is unknown, missing or of another kind, a list holds something else, an agent has no
 * model, or the app's cannot be used with its modules, or a tool asks an agent that the app lacks. In production turns find it.
 */
export function checkApp(config: CheckedApp): void {
  literals?.refuse(ConfigurationError, literals.appProblem(config, refused));
}

/** A model that comes from an environment is known in turns alone. */
const refused = (
  model: NonNullable<CheckedApp['model']> | undefined,
  uses: readonly ModuleUse[],
): string | undefined =>
  model === undefined || typeof model === 'function' ? undefined : refusedModel(uses, model);

/**
 * Checks that an app has an agent. `what`: what names it, as in `Agent 'a' has the subagent`.
 *
 * @throws ConfigurationError if it has not; in development with the name that was probably meant.
 */
export function mustHaveAgent(agents: ReadonlyMap<string, unknown>, what: string, name: string): void {
  if (agents.has(name)) return;
  throw new ConfigurationError(notAmong(what, name, literals?.meant(name, agents.keys())));
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
