import type { Deferred } from '../journal/session-port.ts';
import { prefersAsync } from './preferences.ts';
import { type Target, turnPath } from './target.ts';

/** A turn that has no events of its own: it waits, or its message went into another one. */
export type Standing =
  | Deferred
  | { readonly status: 'steered'; readonly turn: string; readonly into: string };

/** How a message stands that has no turn yet, or never will; its times are ISO 8601. */
export function standingView(
  { session, agent }: Target,
  standing: Standing,
): Readonly<Record<string, unknown>> {
  const { turn, status } = standing;
  const told = { turn, session, agent: agent.name, status };
  switch (standing.status) {
    case 'queued':
      return told;
    case 'steering':
    case 'steered':
      return { ...told, into: standing.into };
    case 'scheduled':
      return { ...told, startsAt: new Date(standing.at).toISOString() };
  }
}

/**
 * Tells how a message waits. Its own address leads to the answer whatever becomes of it: a message that was on its way into
 * another turn is one of its own when that ends first.
 */
export function waiting(target: Target, standing: Standing, request: Request): Response {
  const headers = {
    location: turnPath(target, standing.turn),
    ...(prefersAsync(request) && { 'preference-applied': 'respond-async' }),
  };
  return Response.json(standingView(target, standing), { status: 202, headers });
}
