/** The words of a model's reply, as protocols tell them. */
import type { JournaledPart } from '../journal/reply-data.ts';
import type { Session, SessionAnswer, TurnStream } from '../worker/session.ts';
import type { TurnItem, TurnStreamEnd } from '../worker/turn-feed.ts';

/** Words of one kind, as they stand in a row: what lies between them is shown behind all words of the reply. */
export interface Segment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** What a reply says, as the journal has it. */
export interface SaidReply {
  readonly text: string;
  /** Why its model stopped; `cut-off` if its turn ended first. */
  readonly finish?: string | undefined;
  readonly parts?: readonly JournaledPart[] | undefined;
}

/** The words of a reply, in their order. */
export function segmentsOf({ parts, text }: SaidReply): Segment[] {
  const words: readonly Segment[] = parts
    ? parts.flatMap((part) => (isWords(part) ? { type: part.type, text: part.text } : []))
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

const isWords = (part: JournaledPart): part is Extract<JournaledPart, { type: 'text' | 'reasoning' }> =>
  part.type === 'text' || part.type === 'reasoning';

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
