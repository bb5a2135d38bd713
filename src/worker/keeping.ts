import type { SessionPort, TurnStart } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { agentOfSession } from '../session/read-secrets.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { type KeptApp, partsOf, type SessionKeeping } from './app-seam.ts';

/** What every message says of its session: how long it and its blobs are kept, and whether a module has a store for them. */
type Keeping = Pick<TurnStart, 'retainMs' | 'blobRetainMs' | 'keepsOutside'>;

type Times = Pick<Keeping, 'retainMs' | 'blobRetainMs'>;

/**
 * Has every message say how long its session is kept: as its agent says, or else as the app does. A module whose `keeps`, `wraps` or store
 * of files is to count brings it.
 *
 * @throws ConfigurationError if an agent, or the app, says it twice.
 */
export function keepSessions(app: KeptApp): SessionKeeping {
  const { agents, use, files } = app;
  const store = files?.store;
  const keepingOf = (times: Times): Keeping | undefined => {
    // What a message says that says nothing.
    if (!store && times.retainMs === undefined && times.blobRetainMs === undefined) return undefined;
    return { retainMs: undefined, blobRetainMs: undefined, ...times, keepsOutside: store && [store.owner] };
  };
  const ofApp = timesOf('The app', use) ?? {};
  const ofAgents = new Map(
    agents.map(({ name, uses }) => [name, keepingOf(timesOf(`Agent '${name}'`, uses) ?? ofApp)]),
  );
  const ofOthers = keepingOf(ofApp);
  const wraps = partsOf(use).flatMap((part) => part.wraps?.(app) ?? []);
  return (object, name, env) => {
    const agent = agentOfSession(name);
    const keeping = ofAgents.has(agent) ? ofAgents.get(agent) : ofOthers;
    let port = object;
    for (const wrap of wraps) port = wrap(port, name, env);
    return keeping ? withKeeping(port, keeping) : port;
  };
}

/** Returns how long sessions are kept by these uses, or `undefined`. @throws ConfigurationError if they say so more than once. */
function timesOf(whose: string, uses: readonly ModuleUse[]): Times | undefined {
  const [times, another] = partsOf(uses).flatMap(({ keeps }) => keeps ?? []);
  if (another) throw new ConfigurationError(`${whose} says twice how long its sessions are kept: use one.`);
  return times;
}

/** Returns the port of a session whose messages say this. */
function withKeeping(port: SessionPort, keeping: Keeping): SessionPort {
  const kept = (start: TurnStart): TurnStart => ({ ...start, ...keeping });
  return {
    ...port,
    accept: (start) => port.accept(kept(start)),
    begin: (request) => port.begin({ ...request, start: kept(request.start) }),
  };
}
