/** The steps of a message, one per model reply: first the streamed text, then the rest from the journal. */
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { JournaledCall, JournaledPart } from '../../journal/reply-data.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { type Segment, toSegments } from '../whole-turn.ts';
import type { ReaderCapabilities, UiChunk } from './chunks.ts';

type ReplyEvent = StoredEvent & EventOf<'model-replied'>;

/** Builds the chunks for steps. Each method returns the chunks to send next. */
export class MessageSteps {
  readonly #able: ReaderCapabilities;
  #isOpen = false;
  /** The streamed text of the current reply. Absent between replies. */
  #streamed: Segment[] | undefined;
  #block: { readonly type: Segment['type']; readonly id: string } | undefined;
  #last: ReplyEvent | undefined;

  constructor(able: ReaderCapabilities) {
    this.#able = able;
  }

  /** Starts a step after the previous one. */
  begin(): UiChunk[] {
    const before = this.end();
    this.#isOpen = true;
    return [...before, { type: 'start-step' }];
  }

  /** Ends the open step, if any, and its open parts. */
  end(): UiChunk[] {
    const isOpen = this.#isOpen;
    this.#isOpen = false;
    this.#streamed = undefined;
    return [...this.#endBlock(), ...(isOpen ? [{ type: 'finish-step' } as const] : [])];
  }

  /** Returns the chunks for streamed text. Starts a step unless the reply already has one. */
  addText(piece: Segment): UiChunk[] {
    if (piece.text === '') return [];
    const chunks = this.#beginReply();
    const streamed = this.#streamed ?? [];
    const last = streamed.at(-1);
    if (this.#block?.type === piece.type && last)
      streamed[streamed.length - 1] = { ...last, text: last.text + piece.text };
    else {
      chunks.push(...this.#endBlock());
      this.#block = { type: piece.type, id: `${piece.type}-${streamed.length}` };
      chunks.push({ type: `${piece.type}-start`, id: this.#block.id });
      streamed.push(piece);
    }
    return [...chunks, { type: `${piece.type}-delta`, id: this.#block.id, delta: piece.text }];
  }

  /** Drops the streamed text of a failed attempt, if the client can drop steps. */
  restarted(): UiChunk[] {
    if (!this.#streamed?.length) return [];
    const chunks = this.#able.takes7 ? this.#reset() : this.#endBlock();
    this.#streamed = [];
    return chunks;
  }

  /** Returns the chunks for a journaled reply. */
  replied(event: ReplyEvent): UiChunk[] {
    const chunks = this.#beginReply();
    const words = toSegments(event);
    const streamed = this.#streamed ?? [];
    if (isPrefix(streamed, words)) chunks.push(...this.#rest(words));
    else if (this.#able.takes7) chunks.push(...this.#reset(), ...this.#rest(words));
    else {
      // Text that cannot be dropped is not repeated.
      const missing = words.filter(({ type }) => streamed.every((one) => one.type !== type));
      chunks.push(...missing.flatMap((one) => this.addText(one)));
    }
    chunks.push(
      ...this.#endBlock(),
      ...toPartChunks(event, this.#able.is7),
      ...event.toolCalls.map(toInputChunk),
    );
    this.#streamed = undefined;
    this.#last = event;
    return chunks;
  }

  /** Returns the chunks for the answer of the turn, if it differs from the last reply. */
  answered(text: string): UiChunk[] {
    const last = this.#last;
    if (text === '' || last?.text === text) return [];
    const words: Segment = { type: 'text', text };
    const isReply = last?.toolCalls.length === 0;
    if (!isReply || !this.#able.takes7) return [...this.addText(words), ...this.#endBlock()];
    const thoughts = toSegments(last).filter(({ type }) => type === 'reasoning');
    const said = [...thoughts, words];
    const reset = this.#reset();
    const chunks = said.flatMap((one) => this.addText(one));
    return [...reset, ...chunks, ...this.#endBlock(), ...toPartChunks(last, this.#able.is7)];
  }

  #beginReply(): UiChunk[] {
    if (this.#streamed) return [];
    const chunks = this.begin();
    this.#streamed = [];
    return chunks;
  }

  #endBlock(): UiChunk[] {
    const block = this.#block;
    this.#block = undefined;
    return block ? [{ type: `${block.type}-end`, id: block.id }] : [];
  }

  #reset(): UiChunk[] {
    this.#block = undefined;
    this.#streamed = [];
    return [{ type: 'reset-step' }];
  }

  /** Returns the text that was not streamed. */
  #rest(words: readonly Segment[]): UiChunk[] {
    const streamed = [...(this.#streamed ?? [])];
    const behind = Math.max(streamed.length - 1, 0);
    return words.slice(behind).flatMap(({ type, text }, index) => {
      const shown = index === 0 ? (streamed[behind]?.text.length ?? 0) : 0;
      return this.addText({ type, text: text.slice(shown) });
    });
  }
}

/** Returns `true` if the streamed text is a prefix of the reply's text. */
const isPrefix = (streamed: readonly Segment[], words: readonly Segment[]): boolean =>
  streamed.every(({ type, text }, index) => {
    const word = words[index];
    const isLast = index === streamed.length - 1;
    return word?.type === type && (isLast ? word.text.startsWith(text) : word.text === text);
  });

/**
 * Returns the chunks for the parts of a reply other than text and local calls. `seq`, the number of its
 * event, keeps the ids of its calls unique.
 */
function toPartChunks({ parts = [], turn, seq }: ReplyEvent, is7: boolean): UiChunk[] {
  return parts.flatMap((part) => toPartChunk(part, { prefix: `${turn}.${seq}`, is7 }));
}

interface PartContext {
  readonly prefix: string;
  readonly is7: boolean;
}

function toPartChunk(part: JournaledPart, { prefix, is7 }: PartContext): UiChunk[] {
  switch (part.type) {
    case 'file': {
      const { mediaType, data, ofReasoning } = part;
      const url = /^(https?|data):/i.test(data) ? data : `data:${mediaType};base64,${data}`;
      if (ofReasoning) return is7 ? [{ type: 'reasoning-file', url, mediaType }] : [];
      return [{ type: 'file', url, mediaType }];
    }
    case 'source':
      return toSourceChunk(part);
    case 'tool-call':
      return part.ranBy ? [toInputChunk({ ...part, id: `${prefix}.${part.id}` })] : [];
    case 'tool-result': {
      const of = { toolCallId: `${prefix}.${part.id}` } as const;
      const { result } = part;
      const errorText = typeof result === 'string' ? result : JSON.stringify(result);
      return part.isError
        ? [{ type: 'tool-output-error', ...of, errorText }]
        : [{ type: 'tool-output-available', ...of, output: result }];
    }
    default:
      return [];
  }
}

function toSourceChunk({
  id: sourceId,
  url,
  title,
  mediaType,
  filename,
}: Extract<JournaledPart, { type: 'source' }>): UiChunk[] {
  if (url !== undefined)
    return [{ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }];
  if (mediaType === undefined) return [];
  const named = title ?? filename ?? sourceId;
  return [
    {
      type: 'source-document',
      sourceId,
      mediaType,
      title: named,
      ...(filename !== undefined && { filename }),
    },
  ];
}

/**
 * Returns the chunk for a call as the model requested it. The page does not run it unless a later chunk says
 * so. If the input is invalid JSON, the tool reports that in its result.
 */
function toInputChunk({ id, name, input }: Pick<JournaledCall, 'id' | 'name' | 'input'>): UiChunk {
  const parsed = parseToolInput(name, input);
  const of = { toolCallId: id, toolName: name, providerExecuted: true } as const;
  return { type: 'tool-input-available', ...of, input: parsed.ok ? parsed.input : input };
}
