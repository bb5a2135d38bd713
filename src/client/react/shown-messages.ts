/**
 * The messages of a page: those of the conversation, followed by sent messages that it does not contain yet.
 */

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
import { type Conversation, listMessages, type SessionMessage, type UnkeyedMessage } from './messages.ts';

/** A sent message whose turn has not arrived yet. */
export interface OutgoingMessage {
  readonly message: SessionMessage;
  /** The id of its turn, as soon as the server has sent it. */
  turn?: string;
}

/**
 * Gives each message a key, and keeps the objects of unchanged messages, so that pages render each message
 * once.
 */
export class ShownMessages {
  #outgoing: readonly OutgoingMessage[] = [];
  #sent = 0;
  /** The turns that have started, from events. */
  readonly #begun = new Set<string>();
  /** The keys of messages that were shown before they were in the conversation, by their index in it. */
  readonly #keys = new Map<number, string>();
  readonly #keyed = new WeakMap<UnkeyedMessage, SessionMessage>();
  #shown: readonly SessionMessage[] = [];

  /** Adds a message that is being sent. */
  add(parts: readonly ClientPart[], files: readonly SentFile[] = []): OutgoingMessage {
    this.#sent += 1;
    const outgoing: OutgoingMessage = {
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

  /** Marks a message as accepted, for this turn if the server names it. */
  take(outgoing: OutgoingMessage, turn: string | undefined): void {
    if (turn === undefined || this.#begun.has(turn)) this.remove(outgoing);
    else outgoing.turn = turn;
  }

  /** Returns the turns of accepted messages. */
  taken(): readonly string[] {
    return this.#outgoing.flatMap(({ turn }) => turn ?? []);
  }

  remove(outgoing: OutgoingMessage): void {
    this.#outgoing = this.#outgoing.filter((one) => one !== outgoing);
  }

  /**
   * Handles the start or steering of a turn: its message is now in the conversation, in the order of the
   * events.
   */
  arrived(turn: string, told?: { readonly text: string; readonly at: number }): void {
    this.#begun.add(turn);
    // The event may arrive before the response to the request that sent it.
    const mine =
      this.#outgoing.find((one) => one.turn === turn) ??
      this.#outgoing.find((one) => one.turn === undefined && one.message.text === told?.text);
    if (!mine) return;
    this.remove(mine);
    if (told) this.#keys.set(told.at, mine.message.key);
  }

  /** Clears all messages. */
  forget(): void {
    this.#keys.clear();
  }

  /** Returns all messages. Returns the same array as before if no message has changed. */
  show(conversation: Conversation): readonly SessionMessage[] {
    const all = [
      ...listMessages(conversation).map((message, at) =>
        this.#keyedAs(message, this.#keys.get(at) ?? String(at)),
      ),
      ...this.#outgoing.map(({ message }) => message),
    ];
    this.#shown = keepIfSame(this.#shown, all);
    return this.#shown;
  }

  #keyedAs(message: UnkeyedMessage, key: string): SessionMessage {
    const known = this.#keyed.get(message);
    if (known?.key === key) return known;
    const keyed = { ...message, key };
    this.#keyed.set(message, keyed);
    return keyed;
  }
}

/** Returns the former list if both have the same items. */
export const keepIfSame = <T>(former: readonly T[], latter: readonly T[]): readonly T[] =>
  former.length === latter.length && former.every((one, at) => one === latter[at]) ? former : latter;

/** The data of a session for a page. A new object after each change. */
export interface SessionSnapshot {
  /**
   * `loading`: before the first response. `idle`: it waits for a message. `running`: a turn runs. `waiting`:
   * it waits for the `pending` calls.
   */
  readonly status: 'loading' | 'idle' | 'running' | 'waiting';
  /**
   * `true` while events arrive live. `false` before the first response, and while the server is unreachable.
   */
  readonly isConnected: boolean;
  readonly messages: readonly SessionMessage[];
  /** The calls that wait for a person. */
  readonly pending: readonly PendingView[];
  /**
   * The state of the session when a turn last began to wait, or ended. `undefined` before its first message.
   */
  readonly state: SessionView | undefined;
  /** The error of the connection, or the last refusal. */
  readonly error: Error | undefined;
}

/** The actions of a page in a session. They never reject: the snapshot's `error` has the refusal. */
export interface SessionActions {
  /** Sends a message. Resolves with `true` if it was accepted. All listeners see its turn. */
  send(
    message: string | readonly ClientPart[],
    options?: Omit<ClientSendOptions, 'background'>,
  ): Promise<boolean>;
  /** Decides a waiting call, once. Resolves with `true` if the decision was accepted. */
  decide(call: WaitingCall, decision: DecisionKind | Answer<'decision'>): Promise<boolean>;
  /**
   * Sends answers to several calls of a turn, decisions or results. Resolves with `true` if they were
   * accepted.
   */
  answer(answers: readonly ClientCallAnswer[]): Promise<boolean>;
  /** Stops the running or waiting turn. Resolves with `true` if there was one. */
  stop(): Promise<boolean>;
  /** Retries the last message if its turn has no answer. Resolves with `true` if that was accepted. */
  retry(): Promise<boolean>;
}

export const EMPTY_SNAPSHOT: SessionSnapshot = {
  status: 'loading',
  isConnected: false,
  messages: [],
  pending: [],
  state: undefined,
  error: undefined,
};

/**
 * After these events the page reads the state, for data that no event contains: the questions of waiting
 * calls, and the turn's answer.
 */
export const REFRESH_EVENTS: ReadonlySet<string> = new Set([
  'tool-call-suspended',
  'turn-ended',
  'late-result-received',
  'resumed',
]);

/** Returns the state with only the calls that still wait, or the same object if all do. */
export const keepOpenCalls = (view: SessionView, isOpen: (one: PendingView) => boolean): SessionView =>
  view.pending.every(isOpen) ? view : { ...view, pending: view.pending.filter(isOpen) };

export const toError = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));
