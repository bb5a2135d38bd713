import { ConfigurationError } from '../model/configuration-error.ts';
import { describeValue } from '../tool/shown.ts';
import type { Holdfast } from './app.ts';
import { APPS } from './code-host.ts';
import type { Env } from './host.ts';
import type { Session, SessionOptions } from './session.ts';
import { createSessionFromCode } from './session-from-code.ts';

/**
 * Returns a session of one of the agents, for code of the app: its own routes, queues, crons, e-mail, RPC and
 * modules. Its answers have the type of the agent's output. The session is accessed only when one of its
 * methods is called.
 *
 * @throws ConfigurationError if the first argument is not the return value of `createHoldfast`, or the
 * principal is invalid.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()] });
 * const chat = sessionOf(holdfast, env, { agent: 'clerk', session: 's1', principal: { id: 'ada' } });
 * const { text } = await chat.send('Where is my order?');
 * ```
 */
export function sessionOf<Output = unknown, AppEnv extends object = Env>(
  holdfast: Holdfast<AppEnv>,
  env: object,
  options: SessionOptions<Output>,
): Session<Output> {
  const app = APPS.get(holdfast);
  if (!app)
    throw new ConfigurationError(
      `sessionOf: ${describeValue(holdfast)} is not an app. Pass the result of createHoldfast.`,
    );
  return createSessionFromCode(app, env as Env, options); // an interface of bindings has no index signature
}
