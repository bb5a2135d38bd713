/** The text of model replies, in the form in which protocols show it. */
import type { JournaledPart } from '../journal/reply-data.ts';
import type { Session, SessionAnswer, TurnStream } from '../worker/session.ts';
import type { TurnItem, TurnStreamEnd } from '../worker/turn-feed.ts';

/** Consecutive text of one kind. Other parts are shown after all text of the reply. */
export interface Segment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

export interface JournaledReply {
  readonly text: string;
  /** The model's finish reason. `cut-off` if the turn ended first. */
  readonly finish?: string | undefined;
  readonly parts?: readonly JournaledPart[] | undefined;
}

/** Returns the text segments of a reply, in order. */
export function toSegments({ parts, text }: JournaledReply): Segment[] {
  const words: readonly Segment[] = parts
    ? parts.flatMap((part) => (isTextOrReasoning(part) ? { type: part.type, text: part.text } : []))
    : [{ type: 'text', text }];
  const segments: Segment[] = [];
  for (const one of words) {
    const last = segments.at(-1);
    if (one.text === '') continue;
    if (last?.type === one.type) segments[segments.length - 1] = { ...last, text: last.text + one.text };
    else segments.push(one);
  }
  return segments;
}

const isTextOrReasoning = (
  part: JournaledPart,
): part is Extract<JournaledPart, { type: 'text' | 'reasoning' }> =>
  part.type === 'text' || part.type === 'reasoning';

/** How to follow a turn that runs in another invocation. */
interface FollowSource {
  readonly session: Pick<Session, 'follow'>;
  /** The last event before the shown part of the steered turn. */
  readonly head: number;
  readonly signal: AbortSignal;
}

/**
 * Yields the items of a turn and follows it while it runs in the background, so that a chat is never empty.
 * For a message that steers an open turn, yields the rest of that turn, or the message's own turn if it came
 * too late.
 */
export async function* followInBackground(
  stream: TurnStream,
  { session, head, signal }: FollowSource,
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

/**
 * Yields the items of a turn until it ends or waits. Follows a stream that another invocation continues.
 * Yields `later` only for a turn without further events in this stream.
 */
export async function* streamWholeTurn(
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

/** Yields the items of a turn so far and its state, without waiting for more. */
export async function* readTurnSoFar(
  session: Session,
  turn: string,
): AsyncGenerator<TurnItem, void, undefined> {
  // Read the state before the events, so that the events include any change between the two reads.
  const stop = toStreamEnd(await session.turn(turn));
  if (stop.type !== 'later' || stop.view.status === 'running') yield* session.events({ turn });
  yield stop;
}

function toStreamEnd(answer: SessionAnswer): TurnStreamEnd {
  if (answer.outcome === undefined) return { type: 'later', view: answer };
  return answer.outcome === 'suspended' ? { type: 'suspended', view: answer } : { type: 'answer', answer };
}
