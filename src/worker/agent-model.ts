import type { Agent } from '../agent/define-agent.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError } from '../session/deployment.ts';
import type { MessageFiles } from './app-files.ts';
import { GIVE_MODEL } from './check-app.ts';
import type { Env, Host, HostedApp } from './host.ts';

const made = new WeakMap<ModelOfEnv, WeakMap<Env, ChatModel>>();

/**
 * Returns the model that a function makes of the environment: the same object for the same environment. A function that failed
 * is called again the next time.
 *
 * @throws DeploymentError if the function throws a ConfigurationError, and ConfigurationError if it throws anything else or
 *   returns something that is no model.
 */
export function modelOf({ host, env }: HostedApp, make: ModelOfEnv): ChatModel {
  const ofEnv = made.get(make) ?? new WeakMap<Env, ChatModel>();
  made.set(make, ofEnv);
  const known = ofEnv.get(env) ?? makeModel({ host, env }, make);
  ofEnv.set(env, known);
  return known;
}

function makeModel({ host, env }: HostedApp, make: ModelOfEnv): ChatModel {
  let model: ChatModel;
  try {
    model = make(env);
  } catch (thrown) {
    // Every request finds out alike what the environment lacks, and it is logged once.
    if (thrown instanceof ConfigurationError)
      throw new DeploymentError(thrown.message, { cause: thrown.cause });
    // Its words may hold what only the environment should know.
    host.log({ level: 'error', event: 'other', message: 'a `model` function threw', thrown });
    throw new ConfigurationError('A `model` function threw: the log of the Worker shows what.');
  }
  if (typeof Object(model).ask === 'function') return model;
  throw new ConfigurationError(
    'A `model` function returned no model: return what an adapter makes, such as openaiCompatible({ ... }).',
  );
}

/** Returns the model that an agent is run with. Throws a ConfigurationError if it cannot be made. */
export const modelOfAgent = (here: HostedApp, { model, modelOf: make }: Agent): ChatModel =>
  make ? modelOf(here, make) : (model ?? modelOfApp(here));

/** An app whose messages are read. */
interface ReadingApp extends HostedApp {
  readonly host: Host & { readonly maxBodyBytes: number };
}

/** Returns how messages to an agent hold files, or `undefined` if the app takes none. Throws as `modelOfAgent` does. */
export const filesOfAgent = (here: ReadingApp, agent: Agent): MessageFiles | undefined =>
  here.host.files?.takenBy(agent, modelOfAgent(here, agent), here.host.maxBodyBytes);

/** Returns the model for agents without one of their own. Throws a ConfigurationError if the app has none or it cannot be made. */
export function modelOfApp(here: HostedApp): ChatModel {
  const { model } = here.host;
  if (model === undefined) throw new ConfigurationError(`This app has no model. ${GIVE_MODEL}`);
  return typeof model === 'function' ? modelOf(here, model) : model;
}

/**
 * Makes the models of the app and its agents whose functions only read settings. Others are not made: that may be work.
 *
 * @throws DeploymentError for the first one whose settings are missing or wrong.
 */
export function checkModels(here: HostedApp): void {
  for (const { model, modelOf: own } of here.host.agents.values()) {
    const make = own ?? model ?? here.host.model;
    if (typeof make === 'function' && make.isChecked) modelOf(here, make);
  }
}

/** The agent, with the model that it has in this environment. @throws ConfigurationError when that cannot be made. */
export const withModel = (here: HostedApp, agent: Agent): Agent =>
  agent.modelOf ? { ...agent, model: modelOf(here, agent.modelOf) } : agent;
