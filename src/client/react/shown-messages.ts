/** The messages of a page: those of the conversation, and behind them those that it has sent and that are in none yet. */
import type { ClientPart, SentFile } from '../client-session.ts';
import { type Conversation, listed, type SessionMessage, type Unkeyed } from './messages.ts';

/** A message that was sent, and whose turn is not seen yet. */
export interface Outgoing {
  readonly message: SessionMessage;
  /** As soon as the server has told it. */
  turn?: string;
}

/** Gives each message its key, and the same object as before unless it has changed: who renders one renders it once. */
export class ShownMessages {
  #outgoing: readonly Outgoing[] = [];
  #sent = 0;
  /** The turns that have begun, as far as events have told. */
  readonly #begun = new Set<string>();
  /** The keys of messages that were shown before they were in the conversation, by their places in it. */
  readonly #keys = new Map<number, string>();
  readonly #keyed = new WeakMap<Unkeyed, SessionMessage>();
  #shown: readonly SessionMessage[] = [];

  /** A message that is sent now. */
  add(parts: readonly ClientPart[], files: readonly SentFile[] = []): Outgoing {
    this.#sent += 1;
    const outgoing: Outgoing = {
      message: {
        key: `sent-${this.#sent}`,
        role: 'user',
        text: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n'),
        files: files.map((file) => ({
          mediaType: file instanceof Blob ? file.type : file.mediaType,
          name: 'name' in file ? file.name : undefined,
        })),
        status: 'sending',
      },
    };
    this.#outgoing = [...this.#outgoing, outgoing];
    return outgoing;
  }

  /** The server has taken it, as a message of this turn if it says so. */
  take(outgoing: Outgoing, turn: string | undefined): void {
    if (turn === undefined || this.#begun.has(turn)) this.remove(outgoing);
    else outgoing.turn = turn;
  }

  /** The turns of those that the server has taken. */
  taken(): readonly string[] {
    return this.#outgoing.flatMap(({ turn }) => turn ?? []);
  }

  remove(outgoing: Outgoing): void {
    this.#outgoing = this.#outgoing.filter((one) => one !== outgoing);
  }

  /** A turn has begun, or was steered: its message is one of the conversation, at the place where events have told of it. */
  arrived(turn: string, told?: { readonly text: string; readonly at: number }): void {
    this.#begun.add(turn);
    // The event may be here before the answer of the request that has sent it.
    const mine =
      this.#outgoing.find((one) => one.turn === turn) ??
      this.#outgoing.find((one) => one.turn === undefined && one.message.text === told?.text);
    if (!mine) return;
    this.remove(mine);
    if (told) this.#keys.set(told.at, mine.message.key);
  }

  /** There is no conversation any more. */
  forget(): void {
    this.#keys.clear();
  }

  /** All of them; the same array as before unless one has changed. */
  show(conversation: Conversation): readonly SessionMessage[] {
    const all = [
      ...listed(conversation).map((message, at) => this.#keyedAs(message, this.#keys.get(at) ?? String(at))),
      ...this.#outgoing.map(({ message }) => message),
    ];
    this.#shown = sameOr(this.#shown, all);
    return this.#shown;
  }

  #keyedAs(message: Unkeyed, key: string): SessionMessage {
    const known = this.#keyed.get(message);
    if (known?.key === key) return known;
    const keyed = { ...message, key };
    this.#keyed.set(message, keyed);
    return keyed;
  }
}

/** Answers the former list when the latter one has the same in it. */
export const sameOr = <T>(former: readonly T[], latter: readonly T[]): readonly T[] =>
  former.length === latter.length && former.every((one, at) => one === latter[at]) ? former : latter;
