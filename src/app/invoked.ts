import { ConfigurationError } from '../model/configuration-error.ts';
import { Meter } from '../session/meter.ts';
import { DEFAULT_PLATFORM } from '../session/platform.ts';
import type { Env, Host } from './host.ts';

/** The app as one invocation of its Worker has it. */
export interface Invoked extends Host {
  /** Counts what the invocation uses: its messages to any session, and the work of all its turns. */
  readonly meter: Meter;
  /** Keeps the invocation alive for what comes after its answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/**
 * The app for one invocation. Limits that cannot be read are found out where an agent is needed, as anything is that a
 * deployment lacks: so a message is refused for them, and a turn that was taken ends as failed.
 */
export function invoked<App extends Host>(
  host: App,
  env: Env,
  execution: Pick<Invoked, 'waitUntil'>,
): App & Invoked {
  const { clock } = host;
  const platform = settled(() => host.platform(env));
  const meter = new Meter(platform.value ?? DEFAULT_PLATFORM, () => clock.now());
  return {
    ...host,
    meter,
    waitUntil: (work) => execution.waitUntil(work),
    session: (of, name) => meter.counted(host.session(of, name)),
    resolve(agent, of) {
      if (platform.problem) throw platform.problem;
      return host.resolve(agent, of);
    },
  };
}

/** @throws what is not a ConfigurationError. */
function settled<T>(read: () => T): { readonly value?: T; readonly problem?: ConfigurationError } {
  try {
    return { value: read() };
  } catch (problem) {
    if (problem instanceof ConfigurationError) return { problem };
    throw problem;
  }
}
