/** The items of one model reply: its streamed or journaled reasoning and text. */
import { type JournaledReply, toSegments } from '../whole-turn.ts';
import type { NumberedOutput, UnnumberedEvent } from './numbered-output.ts';
import type { MessageItem, OutputText, ReasoningItem, UrlCitation } from './response-types.ts';

/** Consecutive text of one kind in a reply. */
interface Passage {
  readonly kind: 'message' | 'reasoning';
  readonly text: string;
}

interface ShownPassage {
  readonly kind: Passage['kind'];
  readonly id: string;
  readonly index: number;
  text: string;
  isClosed: boolean;
}

/**
 * Returns the id of a passage from its kind, its place in the reply, and whether it was journaled before it
 * was shown.
 */
type PassageIdFactory = (kind: Passage['kind'], place: number, isStored: boolean) => string;

/** Builds the items of one reply. */
export class ReplyItems {
  readonly #out: NumberedOutput;
  readonly #idOf: PassageIdFactory;
  #shown: ShownPassage[] = [];
  /** `true` if the streamed text was dropped. Nothing more is shown until the reply is journaled. */
  #isDropped = false;

  constructor(out: NumberedOutput, idOf: PassageIdFactory) {
    this.#out = out;
    this.#idOf = idOf;
  }

  /** Shows a delta. */
  delta(kind: Passage['kind'], text: string): void {
    if (this.#isDropped || text === '') return;
    const last = this.#shown.at(-1);
    if (last?.kind === kind) {
      this.#extend(last, text);
      return;
    }
    if (last) this.#close(last, []);
    this.#extend(this.#open(kind), text);
  }

  /** Drops the items of the reply, because it is requested again or restarts in another invocation. */
  drop(): void {
    if (this.#shown.length === 0) return;
    for (const passage of this.#shown) {
      if (!passage.isClosed)
        this.#out.close(passage.index, toOutputItem(passage, 'incomplete', []), this.#out.dropping);
      this.#out.drop(passage.index);
    }
    this.#shown = [];
    this.#isDropped = true;
  }

  /**
   * Shows the rest of a journaled reply, for these kinds. Returns the output index of its last message, if it
   * has one.
   */
  stored(
    reply: JournaledReply,
    kinds: readonly Passage['kind'][] = ['message', 'reasoning'],
  ): number | undefined {
    const passages = toPassages(reply).filter(({ kind }) => kinds.includes(kind));
    if (!isPrefix(this.#shown, passages)) this.drop();
    const citations = listCitations(reply);
    const said = passages.findLastIndex(({ kind }) => kind === 'message');
    passages.forEach(({ kind, text }, place) => {
      const passage = this.#shown[place] ?? this.#open(kind);
      if (passage.isClosed) return;
      this.#extend(passage, text.slice(passage.text.length));
      this.#close(
        passage,
        place === said ? citations : [],
        reply.finish === 'cut-off' ? 'incomplete' : undefined,
      );
    });
    return this.#shown[said]?.index;
  }

  #open(kind: Passage['kind']): ShownPassage {
    const id = this.#idOf(kind, this.#shown.length, this.#isDropped);
    const say = this.#isDropped ? undefined : this.#out.between;
    const passage = { kind, id, text: '', isClosed: false };
    const index = this.#out.open(toOutputItem(passage, 'in_progress', []), say);
    const opened = { ...passage, index };
    this.#shown.push(opened);
    const at = { output_index: index, item_id: id };
    (say ?? this.#say)(
      kind === 'message'
        ? { type: 'response.content_part.added', ...at, content_index: 0, part: toOutputText('', []) }
        : { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part: toSummaryText('') },
    );
    return opened;
  }

  #extend(passage: ShownPassage, text: string): void {
    if (text === '') return;
    const { kind, index, id } = passage;
    passage.text += text;
    const at = { output_index: index, item_id: id };
    const toEvent = (delta: string): UnnumberedEvent =>
      kind === 'message'
        ? { type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs: [] }
        : { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta };
    if (this.#isDropped) this.#out.emit(toEvent(text));
    else this.#out.characters(text, toEvent);
  }

  #close(passage: ShownPassage, citations: UrlCitation[], status: MessageItem['status'] = 'completed'): void {
    const { kind, index, id, text } = passage;
    const say = this.#isDropped ? this.#say : this.#out.between;
    const at = { output_index: index, item_id: id };
    if (kind === 'message') {
      const of = { ...at, content_index: 0 };
      say({ type: 'response.output_text.done', ...of, text, logprobs: [] });
      say({ type: 'response.content_part.done', ...of, part: toOutputText(text, citations) });
    } else {
      const of = { ...at, summary_index: 0 };
      say({ type: 'response.reasoning_summary_text.done', ...of, text });
      say({ type: 'response.reasoning_summary_part.done', ...of, part: toSummaryText(text) });
    }
    passage.isClosed = true;
    this.#out.close(index, toOutputItem(passage, status, citations), say);
  }

  readonly #say: NumberedOutput['between'] = (event) => this.#out.emit(event);
}

/** Returns `true` if the shown passages are a prefix of the reply's. */
const isPrefix = (shown: readonly ShownPassage[], passages: readonly Passage[]): boolean =>
  shown.every(({ kind, text, isClosed }, place) => {
    const passage = passages[place];
    if (passage?.kind !== kind) return false;
    return isClosed ? passage.text === text : passage.text.startsWith(text);
  });

const toPassages = (reply: JournaledReply): Passage[] =>
  toSegments(reply).map(({ type, text }) => ({ kind: type === 'text' ? 'message' : type, text }));

/**
 * Returns the citations of a reply. The source does not state which text a citation supports, so each covers
 * the whole text.
 */
const listCitations = ({ text, parts = [] }: JournaledReply): UrlCitation[] =>
  parts.flatMap((part) =>
    part.type === 'source' && part.url !== undefined
      ? [
          {
            type: 'url_citation',
            url: part.url,
            title: part.title ?? part.url,
            start_index: text.length,
            end_index: text.length,
          } as const,
        ]
      : [],
  );

const toOutputItem = (
  { kind, id, text }: Pick<ShownPassage, 'kind' | 'id' | 'text'>,
  status: MessageItem['status'],
  citations: UrlCitation[],
): MessageItem | ReasoningItem =>
  kind === 'message'
    ? {
        type: 'message',
        id,
        role: 'assistant',
        status,
        content: status === 'in_progress' ? [] : [toOutputText(text, citations)],
      }
    : { type: 'reasoning', id, status, summary: status === 'in_progress' ? [] : [toSummaryText(text)] };

export const toOutputText = (text: string, annotations: UrlCitation[]): OutputText => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
});

const toSummaryText = (text: string) => ({ type: 'summary_text', text }) as const;
