import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHoldfast, type HoldfastConfig, type LogOption } from '../../../../src/create-holdfast.ts';
import type { Agent } from '../../../../src/index.ts';
import { logTo } from '../../../../src/modules/app/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { checkResponses } from './as-described.ts';
import { ORIGIN, type Send } from './client.ts';

/** The configuration of an app in tests: its options, and a log. */
export interface AppConfig extends Partial<HoldfastConfig> {
  readonly log?: LogOption | undefined;
}

/** Returns the options with the log added to `use`. */
export const withLog = <Config extends AppConfig>({ log, ...config }: Config): Omit<Config, 'log'> =>
  log === undefined ? config : { ...config, use: [...(config.use ?? []), logTo(log)] };

/** Another Worker over the same objects, with its own settings and vars. */
export function createTestApp(config: AppConfig, vars: Readonly<Record<string, unknown>> = {}): Send {
  const { worker } = createHoldfast({ agents: [scripted], ...withLog(config) });
  return checkResponses(
    async (path, init) => {
      const url = path.startsWith('/') ? `${ORIGIN}${path}` : path;
      const request = new Request(url, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
      return worker.fetch(request, { ...env, ...vars }, createExecutionContext());
    },
    { base: config.http?.basePath, use: config.use },
  );
}

/** An agent that fails inside the Worker with an unexpected error. */
export const failingAgent: Agent = {
  ...scripted,
  name: 'broken',
  get instructions(): string {
    throw new TypeError('an internal secret');
  },
};

type Objects = typeof env.SESSIONS;
type Stub = ReturnType<Objects['getByName']>;

/** The objects, with some methods replaced by `change`. */
export function wrapObjects(change: (stub: Stub) => Partial<Record<keyof Stub, unknown>>): Objects {
  const getByName: Objects['getByName'] = (...args) => {
    const stub = env.SESSIONS.getByName(...args);
    const changed = change(stub);
    return new Proxy(stub, {
      get(target, key) {
        if (Object.hasOwn(changed, key)) return Reflect.get(changed, key);
        return key === 'fetch' ? target.fetch.bind(target) : Reflect.get(target, key);
      },
    });
  };
  return new Proxy(env.SESSIONS, {
    get: (target, key) => (key === 'getByName' ? getByName : Reflect.get(target, key)),
  });
}
