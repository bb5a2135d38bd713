import { cancelTurn } from '../end-turn.ts';
import { heeding, wantsEvents } from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { viewOfTurn } from '../session-view.ts';
import { turnPath } from '../target.ts';
import { isOver, notYet, streamed, toResponse, waitedFor } from '../turn-response.ts';
import type { LaterView, TurnView } from '../turn-view.ts';

/**
 * The answer of one turn, as its message was answered or would have been, but without `Retry-After`; 202 while there is none;
 * 303 when its message went into another turn, whose answer is its answer. As a stream, it shows the turn from its first event on, and follows it.
 */
export const getTurn = defineRoute({
  method: 'GET',
  path: `${SESSION}/turns/{turn}`,
  access: 'session',
  streams: true,
  handle: showTurn,
});

/**
 * Asks whoever runs the open turn to stop it, or, with `?turn=`, ends that one, also while it waits for those before it or for
 * its time: it is not begun then. A turn that waits for somebody with a role is ended by one who has it.
 */
export const postCancel = defineRoute({
  method: 'POST',
  path: `${SESSION}/cancel`,
  access: 'session',
  handle: stopTurn,
});

/** When to ask again for a turn that goes on by itself, and for one that waits for somebody, in seconds. */
const SOON = 1;
const LATER = 5;
/** A turn that starts in a week need not be asked for before; one that is cancelled is over sooner. In seconds. */
const MOST_WAIT = 60 * 60;

async function showTurn(asked: SessionRequest, { turn }: { readonly turn: string }): Promise<Response> {
  const { request } = asked;
  const view = await viewOfTurn(asked, turn);
  // A message that went into another turn has no events of its own, and a stream would answer HEAD for nobody.
  const isElsewhere = !isOver(view) && view.status === 'steered';
  if (!isElsewhere && request.method !== 'HEAD' && wantsEvents(request)) {
    return streamed(asked, { turn });
  }
  return heeding(request, showView(asked, turn, await waitedFor(asked, view)));
}

function showView({ target, host }: SessionRequest, turn: string, view: TurnView): Response {
  if (isOver(view)) {
    const response = toResponse(view, turnPath(target, turn));
    // It counted from the turn's end, and asking for this turn again changes nothing.
    response.headers.delete('retry-after');
    return response;
  }
  if (view.status === 'suspended') return notYet(view, LATER);
  if (view.status !== 'steered') return notYet(view, waitFor(view, host.clock.now()));
  const headers = { location: turnPath(target, view.into ?? turn) };
  return Response.json(view, { status: 303, headers });
}

function waitFor({ startsAt }: LaterView, now: number): number {
  const wait = startsAt === undefined ? SOON : Math.ceil((Date.parse(startsAt) - now) / 1000);
  return Math.min(Math.max(wait, SOON), MOST_WAIT);
}

async function stopTurn(asked: SessionRequest): Promise<Response> {
  const named = new URL(asked.request.url).searchParams.get('turn') ?? undefined;
  const stopping = await cancelTurn(asked, named);
  const headers = { location: turnPath(asked.target, stopping.turn) };
  return Response.json(stopping, { status: 202, headers });
}
