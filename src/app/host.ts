import type { Agent } from '../agent/define-agent.ts';
import type { ToolKinds } from '../agent/kinds.ts';
import type { Principal } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { Clock } from '../session/clock.ts';
import type { Platform } from '../session/platform.ts';
import type { Secrets } from '../tools/secrets.ts';
import type { ToolCallContext } from '../tools/tool-call-context.ts';

/** The Worker's vars, secrets and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** What turns need of an app, however they start; the Worker's entry makes it, and a test can. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  /** The kinds of tools that remember something, or offer tools in every loop. */
  readonly kinds: ToolKinds;
  readonly clock: Clock;
  /** A short random id, unlike any other. */
  readonly newId: () => string;
  /** The model for agents without one of their own. @throws ConfigurationError when the settings name none. */
  model(env: Env): ChatModel;
  /** The agent with the tool groups that it asks for. @throws ConfigurationError when one is not to be had. */
  resolve(agent: Agent, env: Env): Agent;
  /** The app's tool-call context, under the agent's and the request's. @throws ConfigurationError when it is not JSON. */
  context(env: Env): ToolCallContext;
  /** Mints the credentials of one invocation. Rejects with what the app's hook throws. */
  secrets(env: Env, principal: Principal): Promise<Secrets>;
  /** What one invocation may use. @throws ConfigurationError when the settings say something impossible. */
  platform(env: Env): Platform;
  /** @throws DeploymentError when the Worker is deployed so that no session can work. */
  session(env: Env, name: string): SessionPort;
}

/** The app in the environment of an invocation. */
export interface Here {
  readonly host: Host;
  readonly env: Env;
}
