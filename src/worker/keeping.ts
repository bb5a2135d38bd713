import type { SessionPort, TurnStart } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { getSessionAgent } from '../session/read-secrets.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { listAppParts, type RetentionApp, type SessionPortWrapper } from './app-seam.ts';

/**
 * The settings in every message to a session: the retention of the session and its blobs, and whether a
 * module stores them externally.
 */
type RetentionSettings = Pick<TurnStart, 'retainMs' | 'blobRetainMs' | 'keepsOutside'>;

type RetentionTimes = Pick<RetentionSettings, 'retainMs' | 'blobRetainMs'>;

/**
 * Returns a wrapper that adds the retention of the session to every message: that of the agent, or else of
 * the app. A module with `keeps`, `wraps` or a file store must provide this function for them to apply.
 *
 * @throws ConfigurationError if an agent or the app sets the retention twice.
 */
export function createRetentionWrapper(app: RetentionApp): SessionPortWrapper {
  const { agents, use, files } = app;
  const store = files?.store;
  const findRetentionSettings = (times: RetentionTimes): RetentionSettings | undefined => {
    // Without settings, messages stay unchanged.
    if (!store && times.retainMs === undefined && times.blobRetainMs === undefined) return undefined;
    return { retainMs: undefined, blobRetainMs: undefined, ...times, keepsOutside: store && [store.owner] };
  };
  const ofApp = readRetentionTimes('The app', use) ?? {};
  const ofAgents = new Map(
    agents.map(({ name, uses }) => [
      name,
      findRetentionSettings(readRetentionTimes(`Agent '${name}'`, uses) ?? ofApp),
    ]),
  );
  const ofOthers = findRetentionSettings(ofApp);
  const wraps = listAppParts(use).flatMap((part) => part.wraps?.(app) ?? []);
  return (object, name, env) => {
    const agent = getSessionAgent(name);
    const keeping = ofAgents.has(agent) ? ofAgents.get(agent) : ofOthers;
    let port = object;
    for (const wrap of wraps) port = wrap(port, name, env);
    return keeping ? withRetention(port, keeping) : port;
  };
}

/**
 * Returns the retention from these uses, or `undefined`. @throws ConfigurationError if several uses set it.
 */
function readRetentionTimes(whose: string, uses: readonly ModuleUse[]): RetentionTimes | undefined {
  const [times, another] = listAppParts(uses).flatMap(({ keeps }) => keeps ?? []);
  if (another)
    throw new ConfigurationError(`${whose} sets the retention of its sessions twice. Use retain() once.`);
  return times;
}

/** Returns a port that adds the settings to its messages. */
function withRetention(port: SessionPort, keeping: RetentionSettings): SessionPort {
  const addRetention = (start: TurnStart): TurnStart => ({ ...start, ...keeping });
  return {
    ...port,
    accept: (start) => port.accept(addRetention(start)),
    begin: (request) => port.begin({ ...request, start: addRetention(request.start) }),
  };
}
