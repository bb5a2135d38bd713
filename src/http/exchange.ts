import type { ExecutionContext } from 'hono';
import type { Env } from './host.ts';
import type { Invoked } from './invoked.ts';
import type { Target } from './target.ts';

/** One request to a session, and what it is answered with. */
export interface Exchange {
  readonly host: Invoked;
  readonly env: Env;
  readonly target: Target;
  readonly request: Request;
  /** Keeps work going after the answer. */
  readonly execution: Pick<ExecutionContext, 'waitUntil'>;
}
