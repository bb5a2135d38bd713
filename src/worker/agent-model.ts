import type { Agent } from '../agent/define-agent.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { Env, HostedApp } from './host.ts';

const made = new WeakMap<ModelOfEnv, WeakMap<Env, ChatModel>>();

/**
 * Answers the model that a function makes of the environment: the same object for the same environment. One that could not be
 * made is tried again the next time.
 *
 * @throws ConfigurationError when the function throws, or answers with something that is no model.
 */
export function modelOf({ host, env }: HostedApp, make: ModelOfEnv): ChatModel {
  const ofEnv = made.get(make) ?? new WeakMap<Env, ChatModel>();
  made.set(make, ofEnv);
  const known = ofEnv.get(env) ?? makeModel({ host, env }, make);
  ofEnv.set(env, known);
  return known;
}

function makeModel(here: HostedApp, make: ModelOfEnv): ChatModel {
  const model = attempt(here, make);
  if (typeof Object(model).ask === 'function') return model;
  throw new ConfigurationError(
    'A `model` function answered with something that is no model. Have it return what an adapter makes, such as ' +
      'openaiCompatible({ ... }).',
  );
}

function attempt({ host, env }: HostedApp, make: ModelOfEnv): ChatModel {
  try {
    return make(env);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    // Its words may hold what only the environment should know.
    host.log({ level: 'error', event: 'other', message: 'a `model` function threw', thrown });
    throw new ConfigurationError(
      'A `model` function threw instead of making a model; what it threw is in the log of the Worker. Mend the function, ' +
        'or set what it reads of the environment.',
    );
  }
}

/** The model that an agent is run with. @throws ConfigurationError when it has none of its own, and the app has none. */
export const modelOfAgent = (here: HostedApp, agent: Agent): ChatModel =>
  ownModel(here, agent) ?? here.host.model(here.env);

/** The agent, with the model that it has in this environment. @throws ConfigurationError when that cannot be made. */
export const withModel = (here: HostedApp, agent: Agent): Agent =>
  agent.modelOf ? { ...agent, model: ownModel(here, agent) } : agent;

const ownModel = (here: HostedApp, { model, modelOf: make }: Agent): ChatModel | undefined =>
  make ? modelOf(here, make) : model;
