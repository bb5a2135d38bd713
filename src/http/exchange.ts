import type { ExecutionContext } from 'hono';
import type { Env, Invoked } from '../app/host.ts';
import type { Target } from '../app/target.ts';
import type { HttpHost } from './http-host.ts';

/** One request to a session, and what it is answered with. */
export interface Exchange {
  readonly host: HttpHost & Invoked;
  readonly env: Env;
  readonly target: Target;
  readonly request: Request;
  /** Keeps work going after the answer. */
  readonly execution: Pick<ExecutionContext, 'waitUntil'>;
}
