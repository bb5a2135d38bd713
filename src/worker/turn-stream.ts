import { readTurn } from '../session/fold-session.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { followSession } from '../session/watching/follow-session.ts';
import { keptFor, stoppedTurn, toAnswer } from '../session/watching/turn-outcome.ts';
import type { BegunTurn, Run } from './begun-turn.ts';
import type { SessionRequest } from './route.ts';
import { type EventStream, eventStream } from './sse.ts';
import { type Target, turnPath } from './target.ts';
import { acceptedView, continuesView, suspendedView } from './turn-view.ts';

/**
 * Answers with a turn's events as they become durable; last comes the answer, or that the turn is suspended. With `run` it
 * runs the turn here, and text is sent as it comes; without, the turn runs, or ran, elsewhere, or waits.
 */
export function streamed(
  asked: SessionRequest,
  { turn, run }: Extract<BegunTurn, { readonly turn: string }>,
): Response {
  const work = (stream: EventStream, signal: AbortSignal): Promise<void> =>
    run ? showLive(asked, { stream, turn, signal }, run) : follow(asked, { stream, turn, from: 1, signal });
  return eventStream(asked, (stream, leave) =>
    toldIfKept(stream, acceptedView(asked.target, turn), work(stream, leave)),
  );
}

/**
 * Runs the turn, and sends what happens in it as it comes. A turn waits for no client: one that falls behind is sent the rest
 * from the journal, as fast as it reads, and no more pieces of text.
 */
async function showLive(
  asked: SessionRequest,
  { stream, turn, signal: leave }: Omit<Following, 'from'>,
  run: Run,
): Promise<void> {
  const { session, agent } = asked.target;
  const failed = new AbortController();
  const signal = AbortSignal.any([leave, failed.signal]);
  let sent = 0;
  let following: Promise<void> | undefined;
  const show = (item: FeedItem): void => {
    if (!following && stream.isBehind) {
      following = follow(asked, { stream, turn, from: sent + 1, signal });
      following.catch(() => {}); // it is awaited when the turn has stopped here
    }
    if (following) return;
    stream.send(item);
    if (item.type === 'event') sent = item.stored.seq;
  };
  const end = await run({ show, leave }).catch((failure) => {
    failed.abort();
    throw failure;
  });
  if (following) return following;
  if (end.status !== 'ended') return follow(asked, { stream, turn, from: end.seq + 1, signal });
  stream.sendNamed('answer', toAnswer(session, agent.name, end.turn));
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
