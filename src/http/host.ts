import type { Agent } from '../agent/define-agent.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { Clock } from '../session/clock.ts';
import type { Authenticate } from './auth.ts';
import type { ContextHeaders } from './context-headers.ts';

/** The Worker's vars, secrets and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** What the HTTP app is built on; the Worker's entry makes it, and a test can. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly auth: Authenticate;
  readonly contextHeaders: ContextHeaders;
  /** What a request body may weigh, in bytes. */
  readonly maxBodyBytes: number;
  readonly clock: Clock;
  /** A short random id, unlike any other. */
  readonly newId: () => string;
  /** The model for agents without one of their own. @throws ConfigurationError when the settings name none. */
  model(env: Env): ChatModel;
  /** @throws ConfigurationError when the Worker has no place for sessions. */
  session(env: Env, name: string): SessionPort;
}
