import type { Leased, NotResumed } from '../journal/session-port.ts';
import { readerOf, readTurn } from '../session/fold-session.ts';
import { runTurn, type TurnEnd, type TurnHost } from '../session/run-turn.ts';
import { followSession } from '../session/watching/follow-session.ts';
import { stoppedTurn, toAnswer } from '../session/watching/turn-answer.ts';
import {
  type AwaitedTurn,
  keptFor,
  outcomeElsewhere,
  outcomeHere,
  type TurnOutcome,
} from '../session/watching/turn-outcome.ts';
import { ANY_OBJECT, type Answer } from './description.ts';
import { prefersAsync, wantsEvents } from './request-headers.ts';
import type { SessionRequest } from './route.ts';
import { type EventStream, eventStream } from './sse.ts';
import { pendingViews, type Target, turnPath } from './target.ts';
import {
  accepted,
  acceptedView,
  answeredLater,
  continuesView,
  queuedView,
  suspendedView,
  toResponse,
} from './turn-view.ts';

/** What a request is answered that may run a turn. */
export const TURN_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { description: 'The turn has ended', json: ANY_OBJECT, streams: true },
  202: {
    description:
      'The turn runs in the background, waits for its time or for those before it, or for somebody: `pending` tells for what. ' +
      '`Location` leads to its answer',
    json: ANY_OBJECT,
  },
};

/** A turn that this invocation may run. */
interface LeasedTurn {
  readonly turn: string;
  /** What this deployment brings to it. */
  readonly services: TurnHost;
  readonly lease: Leased;
  /** When the lease was asked for. */
  readonly sentAt: number;
}

/** Runs a leased turn here, and answers with its outcome: as JSON, or as a stream when the client asks for one. */
export function runHere(
  asked: SessionRequest,
  { turn, services, lease, sentAt }: LeasedTurn,
): Promise<Response> {
  const run: Run = (more) => runTurn({ ...services, ...more }, lease, sentAt);
  return wantsEvents(asked.request) ? streamed(asked, turn, run) : answered(asked, turn, run);
}

/**
 * Goes on with a turn that got what it waited for: here, or with whoever was faster, or in the background when the
 * client does not want to wait. It is answered as the message is that started the turn.
 */
export async function goOn(asked: SessionRequest, services: TurnHost, turn: string): Promise<Response> {
  const { host, request } = asked;
  if (prefersAsync(request)) return accepted(asked, turn);
  const sentAt = host.clock.now();
  const resumed = await resume(asked, turn).catch(keptFor);
  if (resumed === 'kept') return accepted(asked, turn);
  if (resumed.status !== 'leased') return joined(asked, turn);
  return runHere(asked, { turn, services, lease: resumed, sentAt });
}

/** Asks for the lease of the open turn. */
export const resume = ({ host, target }: SessionRequest, turn: string): Promise<Leased | NotResumed> =>
  target.port.resume({ nonce: host.newId(), turn, reader: readerOf(host.kinds) });

type Run = (more: Pick<TurnHost, 'show' | 'leave'>) => Promise<TurnEnd>;

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(asked: SessionRequest, turn: string, run: Run): Promise<Response> {
  const leave = asked.request.signal;
  return toTurnResponse(asked, await outcomeHere(awaited(asked, turn), () => run({ leave })));
}

const awaited = ({ host, target, request }: SessionRequest, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal: request.signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});

async function toTurnResponse(asked: SessionRequest, outcome: TurnOutcome): Promise<Response> {
  const { target } = asked;
  switch (outcome.status) {
    case 'ended':
      return toResponse(outcome.answer, turnPath(target, outcome.answer.turn));
    case 'suspended':
      return answeredLater(asked, outcome.answer.turn, suspendedView(target, outcome.events));
    case 'queued':
      return queuedBehind(asked, outcome.turn, outcome.behind);
    case 'kept':
      return accepted(asked, outcome.turn);
  }
}

/** The answer of a turn that runs, or ran, elsewhere, or waits. */
export async function joined(asked: SessionRequest, turn: string): Promise<Response> {
  const { target, request } = asked;
  if (wantsEvents(request)) {
    return eventStream(asked, (stream, leave) =>
      toldIfKept(stream, acceptedView(target, turn), follow(asked, { stream, turn, from: 1, signal: leave })),
    );
  }
  return toTurnResponse(asked, await outcomeElsewhere(awaited(asked, turn)));
}

/** Who answers the open turn may be this very client, so that it is told for what that waits, and is not kept waiting too. */
async function queuedBehind(
  { target, request }: SessionRequest,
  turn: string,
  open: string,
): Promise<Response> {
  const pending = pendingViews(target, await readTurn(target.port, open));
  const view = { ...queuedView(target, { status: 'queued', turn }), pending };
  return answeredLater({ target, request }, turn, view);
}

/** The turn's events as they become durable, and text as it comes; last the answer, or that it is suspended. */
async function streamed(asked: SessionRequest, turn: string, run: Run): Promise<Response> {
  const { target } = asked;
  const work = async (stream: EventStream, leave: AbortSignal): Promise<void> => {
    const end = await run({ show: (item) => stream.send(item), leave });
    if (end.status !== 'ended') return follow(asked, { stream, turn, from: end.seq + 1, signal: leave });
    stream.sendNamed('answer', toAnswer(target.session, target.agent.name, end.turn));
  };
  return eventStream(asked, (stream, leave) =>
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
async function follow(
  { host, target }: SessionRequest,
  { stream, turn, from, signal }: Following,
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

/** A turn that was begun, or resumed, is left in good order, even when its client has gone. */
export function settled(
  { execution }: Pick<SessionRequest, 'execution'>,
  answering: Promise<Response>,
): Promise<Response> {
  execution.waitUntil(answering.catch(() => {}));
  return answering;
}
