import type { SessionPort, TurnStart } from '../journal/session-port.ts';

/** The port of a session that is erased when nothing has happened in it for so many ms: every message says so. */
export function withRetention(port: SessionPort, retainMs: number): SessionPort {
  const kept = (start: TurnStart): TurnStart => ({ ...start, retainMs });
  return {
    ...port,
    accept: (start) => port.accept(kept(start)),
    begin: (request) => port.begin({ ...request, start: kept(request.start) }),
  };
}
