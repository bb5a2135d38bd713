import { ANY_OBJECT } from '../description.ts';
import { Problem } from '../problem.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { type Target, turnPath } from '../target.ts';
import { unknownSession } from './session.ts';
import { unknownTurn } from './turns.ts';

/**
 * Asks whoever runs the open turn to stop it, or, with `?turn=`, ends that one, also while it waits for those before it or for
 * its time: it is not begun then.
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

async function cancelTurn({ target, request }: SessionRequest): Promise<Response> {
  const { port } = target;
  const named = new URL(request.url).searchParams.get('turn');
  const page = await port.read({ from: 1, limit: 1, ...(named !== null && { turn: named }) });
  if (!page) throw unknownSession(target);
  // The event that opens a session is of no turn, and has this name for it.
  if (named === '') throw unknownTurn(target, named);
  const turn = named ?? page.openTurn?.id;
  if (turn === undefined) throw noOpenTurn();
  if ((await port.post({ kind: 'cancel', turn, body: '{}' })) !== 'posted')
    throw await whyNot(target, named, turn);
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
