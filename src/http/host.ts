import type { Agent } from '../agent/define-agent.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { Clock } from '../session/clock.ts';
import type { Authenticate } from './auth.ts';

/** The Worker's vars, secrets and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** What the HTTP app is built on; the Worker's entry makes it, and a test can. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly auth: Authenticate;
  /** Header name in lower case -> key of the tool-call context. */
  readonly contextHeaders: ReadonlyMap<string, string>;
  /** What a request body may weigh, in bytes. */
  readonly maxBodyBytes: number;
  readonly clock: Clock;
  /** A short random id, unlike any other. */
  newId(): string;
  /** The model for agents without one of their own. @throws Error when the settings name none. */
  model(env: Env): ChatModel;
  session(env: Env, name: string): SessionPort;
}
