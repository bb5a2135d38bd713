import { pendingViews } from '../app/pending-view.ts';
import { type Target, turnPath } from '../app/target.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { Leased, NotResumed } from '../journal/session-port.ts';
import { readerOf, readTurn } from '../session/fold-session.ts';
import { followSession } from '../session/follow-session.ts';
import { runTurn, type TurnEnd, type TurnHost } from '../session/run-turn.ts';
import { stoppedTurn, toAnswer } from '../session/turn-answer.ts';
import {
  type AwaitedTurn,
  keptFor,
  outcomeElsewhere,
  outcomeHere,
  type TurnOutcome,
} from '../session/turn-outcome.ts';
import { toResponse } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { answeredLater } from './later-response.ts';
import { prefersAsync, wantsEvents } from './preferences.ts';
import { type EventStream, eventStream } from './sse.ts';
import { standingView } from './standing-view.ts';

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
  const { host, request } = exchange;
  if (prefersAsync(request)) return accepted(exchange, turn);
  const sentAt = host.clock.now();
  const resumed = await resume(exchange, turn).catch(keptFor);
  if (resumed === 'kept') return accepted(exchange, turn);
  if (resumed.status !== 'leased') return joined(exchange, turn);
  return runHere(exchange, { turn, part, leased: resumed, sentAt });
}

/** Asks for the lease of the open turn. */
export const resume = ({ host, target }: Exchange, turn: string): Promise<Leased | NotResumed> =>
  target.port.resume({ nonce: host.newId(), turn, reader: readerOf(host.kinds) });

type Run = (more: Pick<TurnHost, 'show' | 'leave'>) => Promise<TurnEnd>;

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const leave = exchange.request.signal;
  return toTurnResponse(exchange, await outcomeHere(awaited(exchange, turn), () => run({ leave })));
}

const awaited = ({ host, target, request }: Exchange, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal: request.signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});

async function toTurnResponse(exchange: Exchange, outcome: TurnOutcome): Promise<Response> {
  const { target } = exchange;
  switch (outcome.status) {
    case 'ended':
      return toResponse(outcome.answer, turnPath(target, outcome.answer.turn));
    case 'suspended':
      return answeredLater(exchange, outcome.answer.turn, suspendedView(target, outcome.events));
    case 'queued':
      return queuedBehind(exchange, outcome.turn, outcome.behind);
    case 'kept':
      return accepted(exchange, outcome.turn);
  }
}

/** The answer of a turn that runs, or ran, elsewhere, or waits. */
export async function joined(exchange: Exchange, turn: string): Promise<Response> {
  const { target, request } = exchange;
  if (wantsEvents(request)) {
    return eventStream(exchange, (stream, leave) =>
      toldIfKept(
        stream,
        acceptedView(target, turn),
        follow(exchange, { stream, turn, from: 1, signal: leave }),
      ),
    );
  }
  return toTurnResponse(exchange, await outcomeElsewhere(awaited(exchange, turn)));
}

/** Who answers the open turn may be this very client, so that it is told for what that waits, and is not kept waiting too. */
async function queuedBehind({ target, request }: Exchange, turn: string, open: string): Promise<Response> {
  const pending = pendingViews(target, await readTurn(target.port, open));
  const view = { ...standingView(target, { status: 'queued', turn }), pending };
  return answeredLater({ target, request }, turn, view);
}

/** The turn's events as they become durable, and text as it comes; last the answer, or that it is suspended. */
async function streamed(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const { target } = exchange;
  const work = async (stream: EventStream, leave: AbortSignal): Promise<void> => {
    const end = await run({ show: (item) => stream.send(item), leave });
    if (end.status !== 'ended') return follow(exchange, { stream, turn, from: end.seq + 1, signal: leave });
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

interface Following {
  readonly stream: EventStream;
  readonly turn: string;
  /** The first sequence that was not sent. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** Goes on from the journal until the turn has ended or waits, or this invocation must end; then says so. */
async function follow({ host, target }: Exchange, { stream, turn, from, signal }: Following): Promise<void> {
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

/** Tells where the answer will be of a turn that runs in the background, or that others go on with. */
export const accepted = (exchange: Exchange, turn: string): Response =>
  answeredLater(exchange, turn, acceptedView(exchange.target, turn));

const acceptedView = ({ session, agent }: Target, turn: string): unknown => ({
  turn,
  session,
  agent: agent.name,
  status: 'accepted',
});
