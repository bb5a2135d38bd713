/** The messages of a page: those of the conversation, and behind them those that it has sent and that are in none yet. */

import type { Answer, DecisionKind } from '../../tool/call.ts';
import type { SessionView } from '../../worker/session-view.ts';
import type { PendingView } from '../../worker/turn-view.ts';
import type {
  ClientCallAnswer,
  ClientPart,
  ClientSendOptions,
  SentFile,
  WaitingCall,
} from '../client-session.ts';
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

/** What a page shows of a session. Another object after each change. */
export interface SessionSnapshot {
  /**
   * `loading`: nothing is known yet. `idle`: it waits for a message. `running`: a turn runs. `waiting`: it waits for what is `pending`.
   */
  readonly status: 'loading' | 'idle' | 'running' | 'waiting';
  /** What happens is seen as it does. False before the first answer of the server, and while it cannot be reached. */
  readonly isConnected: boolean;
  readonly messages: readonly SessionMessage[];
  /** The calls that wait for somebody. */
  readonly pending: readonly PendingView[];
  /** The state of the session as of the last time that a turn began to wait, or ended; nothing before its first message. */
  readonly state: SessionView | undefined;
  /** Why the server cannot be reached, or what it has refused last. */
  readonly error: Error | undefined;
}

/** What a page does in a session. Nothing of it rejects: what was refused is the snapshot's `error`. */
export interface SessionActions {
  /** Sends a message; true when it was taken. What comes of it is seen by everybody who looks. */
  send(
    message: string | readonly ClientPart[],
    options?: Omit<ClientSendOptions, 'background'>,
  ): Promise<boolean>;
  /** Decides about a call that waits, once; true when that was taken. */
  decide(call: WaitingCall, decision: DecisionKind | Answer<'decision'>): Promise<boolean>;
  /** Sends answers of several calls of a turn, decisions or results. Returns true if they were accepted. */
  answer(answers: readonly ClientCallAnswer[]): Promise<boolean>;
  /** Stops the turn that runs, or waits; true when there was one. */
  stop(): Promise<boolean>;
  /** Tries the last message again, if its turn has no answer. Returns true if that was accepted. */
  retry(): Promise<boolean>;
}

export const NOTHING: SessionSnapshot = {
  status: 'loading',
  isConnected: false,
  messages: [],
  pending: [],
  state: undefined,
  error: undefined,
};

/** Behind these events the state tells what no event does: what a call that waits is to be answered, and how the turn ended. */
export const REFRESHING: ReadonlySet<string> = new Set([
  'tool-call-suspended',
  'turn-ended',
  'late-result-received',
  'resumed',
]);

/** The state with those of its calls that still wait; the same object where all do. */
export const withOpen = (view: SessionView, isOpen: (one: PendingView) => boolean): SessionView =>
  view.pending.every(isOpen) ? view : { ...view, pending: view.pending.filter(isOpen) };

export const asError = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));
