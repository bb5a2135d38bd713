import type { SessionPort } from '../journal/session-port.ts';
import { isStart, type Message, type SessionState } from '../journal/state.ts';
import { NotCompacted } from './not-compacted.ts';

/** How many messages are replaced, and the sequence of the first event whose message is kept. */
export interface Cut {
  readonly messages: number;
  readonly from: number;
}

type Journal = Pick<SessionPort, 'read'>;

/**
 * Cuts before the turns that are kept; `undefined` when nothing stands before them but the summary that was written last.
 *
 * @throws NotCompacted when the journal does not tell where they begin.
 */
export async function findCut(
  { messages, compacted, seq }: SessionState,
  keepTurns: number,
  port: Journal,
): Promise<Cut | undefined> {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  const first = starts.at(-1 - keepTurns);
  if (first === undefined || messages.slice(0, first).every(isSummary)) return undefined;
  const seqs = await turnStarts(port, compacted?.from ?? 1, seq);
  const from = seqs.at(-1 - keepTurns);
  if (from === undefined || seqs.length !== starts.length) {
    throw new NotCompacted('its turns are not where they should be in the journal.');
  }
  return { messages: first, from };
}

const isSummary = (message: Message): boolean => message.role === 'user' && message.by === 'summary';

async function turnStarts(port: Journal, from: number, until: number): Promise<number[]> {
  const seqs: number[] = [];
  const types = { names: ['turn-started'], until };
  for (let next: number | null = from; next !== null; ) {
    const page = await port.read({ from: next, types });
    for (const { seq, type } of page?.rows ?? []) if (type === 'turn-started') seqs.push(seq);
    next = page?.next ?? null;
  }
  return seqs;
}
