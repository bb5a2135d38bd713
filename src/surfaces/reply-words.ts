/** The words of a model's reply, as protocols tell them. */
import type { JournaledPart } from '../journal/reply-data.ts';

/** Words of one kind, as they stand in a row: what lies between them is shown behind all words of the reply. */
export interface Segment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** What a reply says, as the journal has it. */
export interface SaidReply {
  readonly text: string;
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
