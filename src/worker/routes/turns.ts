import type { Deferred, EventPage } from '../../journal/event-page.ts';
import { PAGE_BYTES, readOn } from '../../session/fold-session.ts';
import { stoppedTurn } from '../../session/watching/turn-outcome.ts';
import { Problem } from '../problem.ts';
import { ANY_OBJECT, defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { type Target, turnPath } from '../target.ts';
import { notYet, toResponse } from '../turn-response.ts';
import { queuedView, suspendedView } from '../turn-view.ts';
import { mustMayEnd } from './busy-session.ts';
import { unknownSession } from './session.ts';

/**
 * The answer of one turn, as its message was answered or would have been, but without `Retry-After`; 202 while there is none;
 * 303 when its message went into another turn, whose answer is its answer.
 */
export const getTurn = defineRoute({
  method: 'GET',
  path: `${SESSION}/turns/{turn}`,
  access: 'session',
  summary: 'The answer of one turn, as its message would be answered',
  answers: {
    200: { description: 'The turn has ended', json: ANY_OBJECT },
    202: {
      description: 'It has not: `status` is queued, scheduled, steering, running or suspended',
      json: ANY_OBJECT,
    },
    303: {
      description: 'Its message was taken into another turn, whose answer is its answer',
      json: ANY_OBJECT,
    },
  },
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
  summary: 'Stops a turn, or ends it before it begins',
  parameters: [
    {
      name: 'turn',
      in: 'query',
      schema: { type: 'string' },
      description: 'One that runs, or waits for those before it or for its time. The open turn unless given.',
    },
  ],
  answers: { 202: { description: 'It will stop', json: ANY_OBJECT } },
  handle: cancelTurn,
});

/** When to ask again for a turn that goes on by itself, and for one that waits for somebody, in seconds. */
const SOON = 1;
const LATER = 5;
/** A turn that starts in a week need not be asked for before; one that is cancelled is over sooner. In seconds. */
const MOST_WAIT = 60 * 60;

async function showTurn(
  { host, target }: SessionRequest,
  { turn }: { readonly turn: string },
): Promise<Response> {
  const page = await target.port.read({ from: 1, turn, maxBytes: PAGE_BYTES });
  if (!page) throw unknownSession(target);
  if (page.waits) return stillWaiting(target, page.waits, host.clock.now());
  if (page.into !== undefined) return steered(target, turn, page.into);
  if (page.rows.length === 0) throw unknownTurn(target, turn);
  const events = await readOn(target.port, page, { turn });
  const isOver = events.some(({ type }) => type === 'turn-ended');
  // Nothing of it is folded, which may be what nobody can do.
  if (!isOver && !isWaiting(page, turn)) return running(target, turn);
  const answer = stoppedTurn(target.session, target.agent.name, events);
  const { outcome } = answer;
  if (outcome === 'suspended') return notYet(suspendedView(target, events), LATER);
  const response = toResponse({ ...answer, outcome }, turnPath(target, turn));
  // It counted from the turn's end, and asking for this turn again changes nothing.
  response.headers.delete('retry-after');
  return response;
}

const isWaiting = ({ openTurn }: EventPage, turn: string): boolean =>
  openTurn?.id === turn && openTurn.state === 'waiting';

const running = ({ session, agent }: Target, turn: string): Response =>
  notYet({ turn, session, agent: agent.name, status: 'running' }, SOON);

function stillWaiting(target: Target, waits: Deferred, now: number): Response {
  const wait = waits.status === 'scheduled' ? Math.ceil((waits.at - now) / 1000) : SOON;
  return notYet(queuedView(target, waits), Math.min(Math.max(wait, SOON), MOST_WAIT));
}

function steered(target: Target, turn: string, into: string): Response {
  const headers = { location: turnPath(target, into) };
  return Response.json(queuedView(target, { status: 'steered', turn, into }), { status: 303, headers });
}

/** No message of the session has this id. */
const unknownTurn = ({ path }: Target, turn: string): Problem =>
  new Problem(
    'unknown-turn',
    `There is no turn '${turn.slice(0, 80)}' in this session: GET ${path} shows the last one, and those that wait.`,
  );

async function cancelTurn({ target, request }: SessionRequest): Promise<Response> {
  const { port } = target;
  const named = new URL(request.url).searchParams.get('turn');
  const page = await port.read({ from: 1, limit: 1, ...(named !== null && { turn: named }) });
  if (!page) throw unknownSession(target);
  // The event that opens a session is of no turn, and has this name for it.
  if (named === '') throw unknownTurn(target, named);
  const turn = named ?? page.openTurn?.id;
  if (turn === undefined) throw noOpenTurn();
  if (turn === page.openTurn?.id) await mustMayEnd(target, turn, 'cancel');
  const posted = await port.post({ kind: 'cancel', turn, body: '{}' });
  if (posted !== 'posted') throw await whyNot(target, named, turn);
  const headers = { location: turnPath(target, turn) };
  return Response.json({ turn, status: 'cancel-requested' }, { status: 202, headers });
}

const noOpenTurn = (): Problem =>
  new Problem('no-open-turn', 'No turn is open, so there is nothing to cancel.');

/** What was cancelled is over, or never was one. */
async function whyNot(target: Target, named: string | null, turn: string): Promise<Problem> {
  if (named === null) return noOpenTurn();
  const page = await target.port.read({ from: 1, limit: 1, turn });
  if (page?.waits?.status === 'steering') {
    const { into } = page.waits;
    const detail = `Message ${turn} is on its way into turn ${into}, and no turn of its own. Cancel turn ${into}.`;
    return new Problem('no-open-turn', detail, { more: { turn: into } });
  }
  if (!page || page.rows.length === 0) return unknownTurn(target, turn);
  const detail = `Turn ${turn} has ended: GET ${turnPath(target, turn)} shows its answer.`;
  return new Problem('turn-over', detail);
}
