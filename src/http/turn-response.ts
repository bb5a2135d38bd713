import type { StoredEvent } from '../journal/events.ts';
import { NewerEventError } from '../journal/parse-event.ts';
import type { Leased, NotResumed } from '../journal/session-port.ts';
import { READER, readTurn } from '../session/fold-session.ts';
import { followSession, turnStopped } from '../session/follow-session.ts';
import { runTurn, type TurnEnd, type TurnHost } from '../session/run-turn.ts';
import { SessionUnavailableError } from '../session/session-unavailable-error.ts';
import { stoppedTurn, toAnswer } from '../session/turn-answer.ts';
import { toResponse } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { pendingViews } from './pending-view.ts';
import { prefersAsync, wantsEvents } from './preferences.ts';
import { type EventStream, eventStream } from './sse.ts';
import { type Target, turnPath } from './target.ts';
import { turnPart } from './turn-part.ts';

/**
 * What an invocation that answers a request brings to a turn. Copied, so that what this deployment lacks is found out
 * before anything is taken. @throws ConfigurationError then.
 */
export const turnHost = ({ host, env, target }: Exchange): TurnHost => ({
  ...turnPart(host, env, { port: target.port, agent: target.agent.name }),
});

/** A turn that this invocation may run. */
export interface TurnHere {
  readonly turn: string;
  readonly part: TurnHost;
  readonly leased: Leased;
  /** When the lease was asked for. */
  readonly sentAt: number;
}

/** Runs a leased turn here, and answers with its outcome: as JSON, or as a stream when the client asks for one. */
export function runHere(exchange: Exchange, { turn, part, leased, sentAt }: TurnHere): Promise<Response> {
  const run: Run = (more) => runTurn({ ...part, ...more }, leased, sentAt);
  return wantsEvents(exchange.request) ? streamed(exchange, turn, run) : answered(exchange, turn, run);
}

/**
 * Goes on with a turn that got what it waited for: here, or with whoever was faster, or in the background when the
 * client does not want to wait. It is answered as the message is that started the turn.
 */
export async function goOn(exchange: Exchange, part: TurnHost, turn: string): Promise<Response> {
  const { host, target, request } = exchange;
  if (prefersAsync(request)) return accepted(target, turn);
  const sentAt = host.clock.now();
  const resumed = await resume(exchange, turn).catch(keptFor);
  if (resumed === 'kept') return elsewhere(target, turn);
  if (resumed.status !== 'leased') return joined(exchange, turn);
  return runHere(exchange, { turn, part, leased: resumed, sentAt });
}

/** Asks for the lease of the open turn. */
export const resume = ({ host, target }: Exchange, turn: string): Promise<Leased | NotResumed> =>
  target.port.resume({ nonce: host.newId(), turn, reader: READER });

type Run = (more: Pick<TurnHost, 'show' | 'leave'>) => Promise<TurnEnd>;

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const response = await finished(exchange, turn, run).catch(keptFor);
  return response === 'kept' ? elsewhere(exchange.target, turn) : response;
}

async function finished(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const { target, request } = exchange;
  const end = await run({ leave: request.signal });
  if (end.status !== 'ended') return joined(exchange, turn);
  const answer = toAnswer(target.session, target.agent.name, end.turn);
  if (!answer) throw new Error('A turn ended without an outcome.');
  return toResponse(answer, turnPath(target, turn));
}

/** The turn is stored: what this invocation cannot read now, another one will. */
function keptFor(failure: unknown): 'kept' {
  if (failure instanceof NewerEventError || failure instanceof SessionUnavailableError) return 'kept';
  throw failure;
}

/** The answer of a turn that runs, or ran, elsewhere, or waits. */
export async function joined(exchange: Exchange, turn: string): Promise<Response> {
  const { host, target, request } = exchange;
  if (wantsEvents(request)) {
    return eventStream(exchange, (stream, leave) =>
      toldIfKept(stream, acceptedView(target, turn), follow(exchange, stream, turn, 1, leave)),
    );
  }
  const { clock, meter } = host;
  const { signal } = request;
  const events = await turnStopped({ port: target.port, clock, meter, turn, signal }).catch(keptFor);
  return events === 'kept' ? elsewhere(target, turn) : stopped(target, events);
}

/** The turn's events as they become durable, and text as it comes; last the answer, or that it is suspended. */
async function streamed(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const { target } = exchange;
  const work = async (stream: EventStream, leave: AbortSignal): Promise<void> => {
    const end = await run({ show: (item) => stream.send(item), leave });
    if (end.status !== 'ended') return follow(exchange, stream, turn, end.seq + 1, leave);
    stream.sendNamed('answer', toAnswer(target.session, target.agent.name, end.turn));
  };
  return eventStream(exchange, (stream, leave) =>
    toldIfKept(stream, acceptedView(target, turn), work(stream, leave)),
  );
}

/** What has begun as a stream cannot become a 202 any more: it ends with an event that says the same. */
async function toldIfKept(stream: EventStream, view: unknown, work: Promise<void>): Promise<void> {
  if ((await work.catch(keptFor)) === 'kept') stream.sendNamed('accepted', view);
}

/** Goes on from the journal until the turn has ended or waits, or this invocation must end; then says so. */
async function follow(
  { host, target }: Exchange,
  stream: EventStream,
  turn: string,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, meter } = host;
  let after = from - 1;
  const end = await followSession({ port: target.port, clock, meter, from, turn, signal }, async (stored) => {
    stream.send({ type: 'event', stored });
    after = stored.seq;
    await stream.room();
  });
  if (end === 'left') return;
  if (end === 'erased') return stream.sendNamed('erased', { turn });
  // What is left may be too little to read a long turn again for its answer.
  if (end === 'over' || meter.over)
    stream.sendNamed('continues', { turn, answer: turnPath(target, turn), ...continuesView(target, after) });
  else await sendStopped(target, stream, turn);
}

async function sendStopped(target: Target, stream: EventStream, turn: string): Promise<void> {
  const events = await readTurn(target.port, turn);
  if (events.length === 0) return stream.sendNamed('erased', { turn });
  const answer = stoppedTurn(target.session, target.agent.name, events);
  if (answer.outcome === 'suspended') stream.sendNamed('suspended', suspendedView(target, events));
  else stream.sendNamed('answer', answer);
}

/** The response to a turn that has stopped, by its events: it has ended, or waits. */
function stopped(target: Target, events: readonly StoredEvent[]): Response {
  const answer = stoppedTurn(target.session, target.agent.name, events);
  const location = turnPath(target, answer.turn);
  if (answer.outcome !== 'suspended') return toResponse(answer, location);
  return Response.json(suspendedView(target, events), { status: 202, headers: { location } });
}

/** What there is so far of a turn that waits, and where it is answered. */
export const suspendedView = (target: Target, events: readonly StoredEvent[]): unknown => ({
  ...stoppedTurn(target.session, target.agent.name, events),
  status: 'suspended',
  pending: pendingViews(target, events),
});

/** Where a stream goes on that its invocation had to end. */
export const continuesView = ({ path }: Target, after: number): Readonly<Record<string, unknown>> => ({
  after,
  events: `${path}/events?after=${after}`,
});

/** Tells where the answer will be of a turn that others go on with. */
const elsewhere = (target: Target, turn: string): Response =>
  Response.json(acceptedView(target, turn), { status: 202, headers: { location: turnPath(target, turn) } });

/** Tells where the answer will be of a turn that runs in the background. */
export function accepted(target: Target, turn: string): Response {
  const headers = { location: turnPath(target, turn), 'preference-applied': 'respond-async' };
  return Response.json(acceptedView(target, turn), { status: 202, headers });
}

const acceptedView = ({ session, agent }: Target, turn: string): unknown => ({
  turn,
  session,
  agent: agent.name,
  status: 'accepted',
});
