/** The steps of a message: one for each reply of the model, with its words as they come and then as they are journaled. */
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { JournaledCall, JournaledPart } from '../../journal/reply-data.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { type Segment, segmentsOf } from '../whole-turn.ts';
import type { Able, UiChunk } from './chunks.ts';

type Replied = StoredEvent & EventOf<'model-replied'>;

/** Whatever a method answers is to be told next. */
export class MessageSteps {
  readonly #able: Able;
  #isOpen = false;
  /** The words of the reply that the model gives now; absent between replies. */
  #streamed: Segment[] | undefined;
  #block: { readonly type: Segment['type']; readonly id: string } | undefined;
  #last: Replied | undefined;

  constructor(able: Able) {
    this.#able = able;
  }

  /** Begins a step behind the one before. */
  begin(): UiChunk[] {
    const before = this.end();
    this.#isOpen = true;
    return [...before, { type: 'start-step' }];
  }

  /** Ends the open step, if there is one, and what is open in it. */
  end(): UiChunk[] {
    const isOpen = this.#isOpen;
    this.#isOpen = false;
    this.#streamed = undefined;
    return [...this.#endBlock(), ...(isOpen ? [{ type: 'finish-step' } as const] : [])];
  }

  /** Words of a reply, as they come: they begin a step, unless they go on with the one of their reply. */
  words(piece: Segment): UiChunk[] {
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

  /** What was streamed of an attempt that failed is taken back, where the client can do that. */
  restarted(): UiChunk[] {
    if (!this.#streamed?.length) return [];
    const chunks = this.#able.takes7 ? this.#reset() : this.#endBlock();
    this.#streamed = [];
    return chunks;
  }

  /** All of a reply, as it is journaled. */
  replied(event: Replied): UiChunk[] {
    const chunks = this.#beginReply();
    const words = segmentsOf(event);
    const streamed = this.#streamed ?? [];
    if (isBeginning(streamed, words)) chunks.push(...this.#rest(words));
    else if (this.#able.takes7) chunks.push(...this.#reset(), ...this.#rest(words));
    else {
      // What cannot be taken back is not said twice.
      const missing = words.filter(({ type }) => streamed.every((one) => one.type !== type));
      chunks.push(...missing.flatMap((one) => this.words(one)));
    }
    chunks.push(
      ...this.#endBlock(),
      ...partChunks(event, this.#able.is7),
      ...event.toolCalls.map(inputChunk),
    );
    this.#streamed = undefined;
    this.#last = event;
    return chunks;
  }

  /** The answer of the turn, where the last reply does not say it. */
  answered(text: string): UiChunk[] {
    const last = this.#last;
    if (text === '' || last?.text === text) return [];
    const words: Segment = { type: 'text', text };
    const isReply = last?.toolCalls.length === 0;
    if (!isReply || !this.#able.takes7) return [...this.words(words), ...this.#endBlock()];
    const thoughts = segmentsOf(last).filter(({ type }) => type === 'reasoning');
    const said = [...thoughts, words];
    const reset = this.#reset();
    const chunks = said.flatMap((one) => this.words(one));
    return [...reset, ...chunks, ...this.#endBlock(), ...partChunks(last, this.#able.is7)];
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

  /** The words that were not streamed. */
  #rest(words: readonly Segment[]): UiChunk[] {
    const streamed = [...(this.#streamed ?? [])];
    const behind = Math.max(streamed.length - 1, 0);
    return words.slice(behind).flatMap(({ type, text }, index) => {
      const shown = index === 0 ? (streamed[behind]?.text.length ?? 0) : 0;
      return this.words({ type, text: text.slice(shown) });
    });
  }
}

/** Tells whether what was streamed of a reply is how its words begin. */
const isBeginning = (streamed: readonly Segment[], words: readonly Segment[]): boolean =>
  streamed.every(({ type, text }, index) => {
    const word = words[index];
    const isLast = index === streamed.length - 1;
    return word?.type === type && (isLast ? word.text.startsWith(text) : word.text === text);
  });

/** What a reply holds beside words and calls that are run here. `seq` is that of its event, and tells its calls from others. */
function partChunks({ parts = [], turn, seq }: Replied, is7: boolean): UiChunk[] {
  return parts.flatMap((part) => partChunk(part, { prefix: `${turn}.${seq}`, is7 }));
}

interface PartOf {
  readonly prefix: string;
  readonly is7: boolean;
}

function partChunk(part: JournaledPart, { prefix, is7 }: PartOf): UiChunk[] {
  switch (part.type) {
    case 'file': {
      const { mediaType, data, ofReasoning } = part;
      const url = /^(https?|data):/i.test(data) ? data : `data:${mediaType};base64,${data}`;
      if (ofReasoning) return is7 ? [{ type: 'reasoning-file', url, mediaType }] : [];
      return [{ type: 'file', url, mediaType }];
    }
    case 'source':
      return sourceChunk(part);
    case 'tool-call':
      return part.ranBy ? [inputChunk({ ...part, id: `${prefix}.${part.id}` })] : [];
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

function sourceChunk({
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
 * A call as the model asked for it. It is run elsewhere than in the page, unless that is told later. Whether an input that is no JSON is
 * wrong its tool knows, and says with its result.
 */
function inputChunk({ id, name, input }: Pick<JournaledCall, 'id' | 'name' | 'input'>): UiChunk {
  const parsed = parseToolInput(name, input);
  const of = { toolCallId: id, toolName: name, providerExecuted: true } as const;
  return { type: 'tool-input-available', ...of, input: parsed.ok ? parsed.input : input };
}
