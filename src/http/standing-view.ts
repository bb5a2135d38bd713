import type { Target } from '../app/target.ts';
import type { Deferred } from '../journal/session-port.ts';

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
