import type { Session, TurnStream } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';

/** How a turn is followed that does not run here. */
interface Following {
  readonly session: Pick<Session, 'follow'>;
  /** The event behind which a turn is shown that the message has steered. */
  readonly head: number;
  readonly signal: AbortSignal;
}

/**
 * What a turn shows, also where it goes on in the background, so that a chat never shows nothing. Of a message that steers an open turn
 * that is the rest of that turn, and the message's own one when it came too late.
 */
export async function* followedOn(
  stream: TurnStream,
  { session, head, signal }: Following,
): AsyncGenerator<TurnItem, void, undefined> {
  let seen = 0;
  let isSteered = false;
  for await (const item of stream) {
    if (item.type !== 'later') {
      if ('seq' in item) seen = item.seq;
      yield item;
      continue;
    }
    const { into } = item.view;
    if (into === undefined) {
      yield* await session.follow(stream.turn, { after: seen, signal });
      return;
    }
    for await (const one of await session.follow(into, { after: head, signal })) {
      isSteered ||= one.type === 'turn-steered' && one.as === stream.turn;
      if (one.type === 'answer' && !isSteered) yield* await session.follow(stream.turn, { signal });
      else yield one;
    }
  }
}
