import type { Agent } from '../../agent/define-agent.ts';
import type { ChatModel } from '../../model/chat-model.ts';
import type { Prices } from '../../model/prices.ts';
import type { TurnHost } from '../../session/run-turn.ts';

/** The agents of one invocation, and their model. */
export type ScriptedAgents = Pick<TurnHost, 'agent' | 'agents' | 'model'>;

interface Script extends Pick<ChatModel, 'name' | 'ask'> {
  /** Of models, for agents whose own has none. */
  readonly prices?: Prices | undefined;
  /** Gives tool groups to an agent that others bring along; as it is unless given. */
  readonly resolve?: ((agent: Agent) => Agent) | undefined;
}

/** Lets one script speak for every agent of an app; only what models cost stays their own. */
export function scriptedAgents(
  app: readonly Agent[],
  { name, ask, prices, resolve }: Script,
): ScriptedAgents {
  const modelWith = (own: Prices | undefined): ChatModel => ({ name, ask, ...(own && { prices: own }) });
  const scripted = (agent: Agent): Agent => ({ ...agent, model: modelWith(agent.model?.prices ?? prices) });
  const [agent, ...others] = app.map(scripted);
  if (!agent) throw new Error('An app has an agent.');
  const all = [agent, ...others];
  const model = modelWith(prices);
  return {
    agent,
    model,
    agents: {
      names: all.map((one) => one.name).toSorted(),
      model,
      find: (sought) => all.find((one) => one.name === sought),
      resolve: (one: Agent) => scripted(resolve?.(one) ?? one),
    },
  };
}
