import { memoized } from './async.ts';
import { Secrets } from './secrets.ts';

declare global {
  namespace Cloudflare {
    /** What a Worker is deployed with: `wrangler types` declares it for an app, and until then it is empty. */
    interface Env {}
  }
}

/** What is declared of an environment; where that is nothing, values that are looked at before they are used. */
export type EnvOf<Declared> = keyof Declared extends never ? Readonly<Record<string, unknown>> : Declared;

/** The Worker's vars, secrets and bindings, as the app's `wrangler types` declares them. */
export type WorkerEnv = EnvOf<Cloudflare.Env>;

/** What a test or a program gives in the place of a Worker: what stands in for those of its vars, secrets and bindings that are used. */
export type GivenEnv = Partial<WorkerEnv> | Readonly<Record<string, unknown>>;

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * The environment, which does not change, as tools are given it: a copy that cannot be changed. Printing it, or writing it as JSON, shows
 * its names only, so that a tool which answers it by mistake tells nobody what is in it.
 */
export const envOfTools = memoized((env: GivenEnv): WorkerEnv => {
  const names = Object.keys(env);
  const shown = {
    toJSON: { value: () => names },
    [inspect]: { value: () => `Env(${names.join(', ')})` },
  };
  return Object.freeze(Object.defineProperties({ ...env }, shown)) as WorkerEnv; // its Worker has what `wrangler types` found
});

/** The texts of an environment, which does not change, that are called like credentials, or are addresses with a password: hidden wherever secrets are. */
export const credentialsIn = memoized(
  (env: GivenEnv): Secrets =>
    Secrets.of(
      Object.fromEntries(
        Object.entries(env).filter(
          (entry): entry is [string, string] =>
            typeof entry[1] === 'string' && isCredential(entry[0], entry[1]),
        ),
      ),
    ),
);

const isCredential = (name: string, text: string): boolean =>
  (CREDENTIAL.test(name) && !OPEN_KEY.test(name)) || WITH_PASSWORD.test(text);

const CREDENTIAL = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|\d|$)/i;

/** Keys that are no secret: to hide what they hold, such as the name of a column, would garble inputs and results. */
const OPEN_KEY = /(PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE)_?KEY(_|\d|$)/i;

/** As of a database: `postgres://shop:password@host/orders`. */
const WITH_PASSWORD = /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
