/** A turn from its first event to where it stops, whichever invocation runs it. */
import type { Session, SessionAnswer, TurnStream } from '../../worker/session.ts';
import type { TurnItem, TurnStreamEnd } from '../../worker/turn-feed.ts';

/**
 * What a turn shows until it has ended or waits for somebody: a stream that another invocation goes on with is followed. `later` is told
 * only of a turn that shows nothing more here.
 */
export async function* wholeTurn(
  session: Session,
  first: TurnStream,
  signal: AbortSignal,
): AsyncGenerator<TurnItem, void, undefined> {
  let stream = first;
  let seen = 0;
  for (let followed = -1; ; ) {
    let stopped: TurnItem | undefined;
    for await (const item of stream) {
      if ('seq' in item) seen = item.seq;
      if (item.type === 'continues' || item.type === 'later') stopped = item;
      else yield item;
    }
    if (!stopped) return;
    const turn = (stopped.type === 'later' ? stopped.view.into : undefined) ?? stream.turn;
    if (stopped.type === 'later' && followed === seen) {
      yield stopped;
      return;
    }
    followed = seen;
    stream = await session.follow(turn, { after: seen, signal });
  }
}

/** What a turn has shown so far, and how it stands. It is not waited for. */
export async function* turnSoFar(session: Session, turn: string): AsyncGenerator<TurnItem, void, undefined> {
  // Asked first, so that what happens meanwhile is at worst among the events before it is said.
  const stop = toStop(await session.turn(turn));
  if (stop.type !== 'later' || stop.view.status === 'running') yield* session.events({ turn });
  yield stop;
}

function toStop(answer: SessionAnswer): TurnStreamEnd {
  if (answer.outcome === undefined) return { type: 'later', view: answer };
  return answer.outcome === 'suspended' ? { type: 'suspended', view: answer } : { type: 'answer', answer };
}
