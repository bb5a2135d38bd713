import type { ServerNotification } from '@modelcontextprotocol/server';
import { type AwaitedTurn, outcomeElsewhere } from '../../session/watching/turn-outcome.ts';
import { Problem } from '../../worker/problem.ts';
import { eventStream, framed } from '../../worker/sse.ts';
import { type SessionAccess, targetOf } from '../../worker/target.ts';
import { turnFeed } from '../../worker/turn-feed.ts';
import { RPC_CODE } from '../content/rpc.ts';
import type { EndpointRequest } from './caller.ts';
import type { Published } from './rpc-request.ts';
import {
  createNotifier,
  notifyOf,
  primingFrame,
  readEventId,
  type Seen,
  type SeenCall,
  StreamPosition,
} from './stream-position.ts';
import { toAgentResult } from './to-call-result.ts';

/**
 * Takes up the stream of a call after the event that its client has seen last: of an agent's call, with what the journal of its
 * session has behind that, until its answer. Whoever asks is checked as every caller is, and finds sessions of their own alone.
 *
 * @throws Problem 405 when no event is named, 400 when it is none of ours, and 404 when its turn is not there for this caller;
 *   SessionError when its session cannot be one.
 */
export async function resumeCall({ callable }: Published, within: EndpointRequest): Promise<Response> {
  const { host, caller, request } = within;
  const last = request.headers.get('last-event-id');
  if (last === null) throw new Problem('method-not-allowed', NO_STREAM, { headers: { allow: 'POST' } });
  const seen = readEventId(last);
  if (!seen) throw new Problem('invalid-header', NO_EVENT);
  const { id, call } = seen;
  const asked = { host, request, execution: { waitUntil: host.waitUntil } };
  if (!call) return eventStream(asked, () => failing(id, NOT_KEPT));
  const published = callable.get(call.name);
  if (published?.kind !== 'agent') throw unknownTurn(call.turn);
  const target = targetOf(within, caller, { agent: published.agent, session: call.session });
  const page = await target.port.read({ from: 1, turn: call.turn, limit: 1 });
  if (!page || page.rows.length === 0) throw unknownTurn(call.turn);
  return eventStream(asked, (signal) => rest({ ...within, target, signal }, { id, call }));
}

const NO_STREAM =
  'Use POST here. A GET takes up the stream of a call that has broken, and needs the id of its last event as Last-Event-ID.';
const NO_EVENT = 'Last-Event-ID is not the id of an event of this endpoint. Send the request again.';
const NOT_KEPT =
  'The connection broke before the answer, and what a tool answers is not kept: nobody can tell whether it has run to its end. ' +
  'Call it again.';
const ERASED = 'The session was erased, and the answer with it.';

const unknownTurn = (turn: string): Problem =>
  new Problem(
    'unknown-turn',
    `There is no turn '${turn.slice(0, 64)}' of yours whose answer could be taken up.`,
  );

/** One error and no id: behind it there is nothing to be taken up. */
async function* failing(id: Seen['id'], message: string): AsyncGenerator<string, void, undefined> {
  yield framed('message', { jsonrpc: '2.0', id, error: { code: RPC_CODE.internalError, message } });
}

/**
 * What the client has not seen yet. When this invocation must end before the turn does, so does the stream, without an answer: the
 * client comes again.
 */
async function* rest(
  at: SessionAccess,
  { id, call }: { readonly id: Seen['id']; readonly call: SeenCall },
): AsyncGenerator<string, void, undefined> {
  const { name, turn, isNew, progressToken, progress } = call;
  const position = new StreamPosition();
  position.begun({ id, call });
  yield primingFrame(await position.primed);
  const told: ServerNotification[] = [];
  const notifier = createNotifier({ name, progressToken, progress }, async (notification) => {
    told.push(notification);
  });
  const notify = notifyOf(notifier);
  for await (const item of turnFeed(at, { turn }, { signal: at.signal })) {
    if (item.type === 'continues') return;
    if (item.type === 'erased') return yield* failing(id, ERASED);
    if (item.type === 'answer' || item.type === 'suspended' || item.type === 'later') break;
    const isEvent = 'seq' in item;
    // Of what was seen only the names of the calls are needed.
    if (isEvent && item.seq <= call.seq && item.type !== 'model-replied') continue;
    if (isEvent && item.seq > call.seq) position.shows(item.seq);
    notify('seq' in item ? { type: 'event', stored: item } : item);
    for (const notification of told.splice(0)) yield frameOf(position, { jsonrpc: '2.0', ...notification });
  }
  const result = toAgentResult(
    { target: at.target, name, isNew },
    await outcomeElsewhere(awaitedOf(at, turn)),
  );
  yield frameOf(position, { jsonrpc: '2.0', id, result });
}

const frameOf = (position: StreamPosition, message: Parameters<StreamPosition['idOf']>[0]): string =>
  framed('message', message, position.idOf(message));

const awaitedOf = ({ host, target, signal }: SessionAccess, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});
