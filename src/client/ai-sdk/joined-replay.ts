import type { UIMessageChunk } from 'ai';

/**
 * Tracks the steps of one message that a page has shown. A replayed stream is reduced to the missing part:
 * complete steps are left out, and a partial step is reset if the page's AI SDK supports that.
 */
export class ShownSteps {
  /** Whether the AI SDK supports `reset-step`, as version 7 does. */
  readonly #canReset: boolean;
  #finished = 0;
  #isOpen = false;
  /** The shown part of the open step: the characters of each text block, and all other chunks. */
  #words = new Map<string, number>();
  #others = new Set<string>();
  /** Chunks between steps that a replay would repeat. */
  #between = new Set<string>();
  /** The id of the message, which is also the id of its turn. Absent before it has started. */
  turn: string | undefined;

  constructor(canReset: boolean) {
    this.#canReset = canReset;
  }

  /** Records a chunk that the page has shown. */
  shown(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case 'start':
        this.turn = chunk.messageId;
        break;
      case 'start-step':
        this.#begin();
        this.#isOpen = true;
        break;
      case 'finish-step':
        this.#begin();
        this.#finished += 1;
        break;
      case 'text-delta':
      case 'reasoning-delta':
        this.#words.set(chunk.id, (this.#words.get(chunk.id) ?? 0) + chunk.delta.length);
        break;
      default:
        // Only in version 7: the step is back at its start.
        if (String(chunk.type) === 'reset-step') this.#clear();
        else (this.#isOpen ? this.#others : this.#between).add(JSON.stringify(chunk));
    }
  }

  #begin(): void {
    this.#isOpen = false;
    this.#clear();
  }

  #clear(): void {
    this.#words = new Map();
    this.#others = new Set();
  }

  /** Returns a function that maps each chunk of a replayed stream to the chunks that the page must show. */
  replay(): (chunk: UIMessageChunk) => readonly UIMessageChunk[] {
    const between = new Set(this.#between);
    const partly = this.#isOpen ? { words: new Map(this.#words), others: new Set(this.#others) } : undefined;
    let left = this.#finished;
    let place: 'known' | 'partly' | 'new' = 'known';
    const dropSeenChunk = (chunk: UIMessageChunk, seen: Set<string>): readonly UIMessageChunk[] =>
      seen.delete(JSON.stringify(chunk)) ? [] : [chunk];
    return (chunk) => {
      if (chunk.type === 'start' && this.turn !== undefined) return [];
      if (place === 'new') return [chunk];
      if (place === 'partly') {
        if (chunk.type === 'finish-step') place = 'new';
        if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta')
          return dropSeenChunk(chunk, partly?.others ?? between);
        const known = partly?.words.get(chunk.id) ?? 0;
        partly?.words.set(chunk.id, Math.max(0, known - chunk.delta.length));
        const delta = chunk.delta.slice(known);
        return delta === '' ? [] : [{ ...chunk, delta }];
      }
      if (left > 0) {
        if (chunk.type === 'finish-step') left -= 1;
        return isUpdate(chunk) ? dropSeenChunk(chunk, between) : [];
      }
      if (chunk.type !== 'start-step') return dropSeenChunk(chunk, between);
      place = partly && !this.#canReset ? 'partly' : 'new';
      if (!partly) return [chunk];
      return this.#canReset ? [RESET_CHUNK] : [];
    };
  }
}

/** A chunk of version 7, which the types of version 6 do not have. */
const RESET_CHUNK = { type: 'reset-step' } as UIMessageChunk;

/** Returns whether a chunk updates an existing part, so that it can be repeated. */
const isUpdate = ({ type }: UIMessageChunk): boolean =>
  /^(tool-output-|tool-approval-response|data-|message-metadata)/.test(type);
