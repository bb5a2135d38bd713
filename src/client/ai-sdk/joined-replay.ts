import type { UIMessageChunk } from 'ai';

/**
 * What a page was shown of one message so far, step by step. A stream that begins the message again is cut down to what is missing: steps that
 * the page has whole are left out, and one that it has in part is taken back where the kit can do that.
 */
export class ShownSteps {
  /** Whether the kit knows `reset-step`, as version 7 does. */
  readonly #canReset: boolean;
  #finished = 0;
  #isOpen = false;
  /** What the page has of the open step: the characters of each block of words, and all other chunks. */
  #words = new Map<string, number>();
  #others = new Set<string>();
  /** Chunks between steps that would be there twice. */
  #between = new Set<string>();
  /** The message, which has the id of its turn; absent before it has begun. */
  turn: string | undefined;

  constructor(canReset: boolean) {
    this.#canReset = canReset;
  }

  /** Notes a chunk that the page is shown. */
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
        // Of version 7: the step is as it was when it began.
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

  /** Returns what maps each chunk of a stream that begins the message again to what the page is to be shown of it. */
  replay(): (chunk: UIMessageChunk) => readonly UIMessageChunk[] {
    const between = new Set(this.#between);
    const partly = this.#isOpen ? { words: new Map(this.#words), others: new Set(this.#others) } : undefined;
    let left = this.#finished;
    let place: 'known' | 'partly' | 'new' = 'known';
    const once = (chunk: UIMessageChunk, seen: Set<string>): readonly UIMessageChunk[] =>
      seen.delete(JSON.stringify(chunk)) ? [] : [chunk];
    return (chunk) => {
      if (chunk.type === 'start' && this.turn !== undefined) return [];
      if (place === 'new') return [chunk];
      if (place === 'partly') {
        if (chunk.type === 'finish-step') place = 'new';
        if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta')
          return once(chunk, partly?.others ?? between);
        const known = partly?.words.get(chunk.id) ?? 0;
        partly?.words.set(chunk.id, Math.max(0, known - chunk.delta.length));
        const delta = chunk.delta.slice(known);
        return delta === '' ? [] : [{ ...chunk, delta }];
      }
      if (left > 0) {
        if (chunk.type === 'finish-step') left -= 1;
        return isUpdate(chunk) ? once(chunk, between) : [];
      }
      if (chunk.type !== 'start-step') return once(chunk, between);
      place = partly && !this.#canReset ? 'partly' : 'new';
      if (!partly) return [chunk];
      return this.#canReset ? [RESET] : [];
    };
  }
}

/** A chunk of version 7, which the types of version 6 do not have. */
const RESET = { type: 'reset-step' } as UIMessageChunk;

/** Says what became of a part that is there already, so that it may be said twice. */
const isUpdate = ({ type }: UIMessageChunk): boolean =>
  /^(tool-output-|tool-approval-response|data-|message-metadata)/.test(type);
