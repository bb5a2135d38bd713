/** What a client offers of an agent's sessions. */
import type { StoredEvent } from '../journal/events.ts';
import type { Answer, DecisionKind, WhenBusy } from '../tool/call.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { CancelRequested } from '../worker/end-turn.ts';
import type { SessionView } from '../worker/session-view.ts';
import type { PendingView } from '../worker/turn-view.ts';
import type { ClientAnswer, StreamItem, WatchItem } from './follow.ts';
import type { TransportOptions } from './transport.ts';

/** Where an agent is, and on whose behalf it is asked. */
export interface ClientOptions<Name = string> extends TransportOptions {
  /** The name of the agent. */
  readonly agent: Name;
  /** Whose sessions, where an operator asks: `id:` or `tenant:`, and a name. The app has `operators()`. Defaults to the caller. */
  readonly owner?: string | undefined;
}

/** The sessions of one agent. */
export interface Client<Output = Json> {
  /** A session by its id, of 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -; a new one unless given. Nothing is asked of it yet. */
  session(id?: string): ClientSession<Output>;
}

/** A file to be sent: one of an input of a page, or bytes. */
export type SentFile =
  | Blob
  | { readonly bytes: Uint8Array; readonly mediaType: string; readonly name?: string };

/** A part of a message: words, or a file by its address or in base64. */
export type ClientPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType?: string;
      readonly name?: string;
      /** A data URL, or an https URL, which is handed on. */
      readonly url?: string;
      /** Base64. */
      readonly data?: string;
    };

/** How long something is waited for. */
export interface Waiting {
  /** Nobody waits any more when it aborts: what is awaited rejects with its reason, and the turn goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** What may be said beside a message. */
export interface ClientSendOptions extends Waiting {
  /** They stand behind the text. */
  readonly files?: readonly SentFile[] | undefined;
  /** The message's part of the tool-call context, of the keys that the app allows. */
  readonly context?: JsonObject | undefined;
  /** Continues the loop of an earlier turn. */
  readonly loopId?: string | undefined;
  /** However often a message is sent under it within a day, it starts one turn; one of its own unless given. */
  readonly idempotencyKey?: string | undefined;
  /** While a turn is open: `reject`, unless given, is refused as `session-busy`. */
  readonly whenBusy?: WhenBusy | 'reject' | undefined;
  /** Declines what the turn before waits for, ends it, and then takes the message. */
  readonly pending?: 'decline' | undefined;
  /** The turn starts so much later. */
  readonly delaySeconds?: number | undefined;
  /** The message is stored, and its turn is not waited for. */
  readonly background?: boolean | undefined;
}

/** What may be said beside answers of calls. */
export type AnsweringOptions = Pick<ClientSendOptions, 'signal' | 'idempotencyKey' | 'background'>;

/** A call that waits: as an answer or the state lists it, or its id. */
export type WaitingCall = string | Pick<PendingView, 'call' | 'question'>;

/** What one of several calls is answered. */
export type ClientCallAnswer = { readonly call: WaitingCall } & Answer;

/**
 * One session of an agent. What is refused is thrown as a HoldfastError. What is sent carries a key of its own, so that it is sent again
 * after a lost connection and yet done once.
 */
export interface ClientSession<Output = Json> {
  readonly id: string;
  /** Runs a turn, and answers what it came to: its answer, also of one that `failed`, or what it waits for. */
  send(message: string | readonly ClientPart[], options?: ClientSendOptions): Promise<ClientAnswer<Output>>;
  /** The same as it happens, pieces of text too. It goes on by itself after a lost connection. */
  stream(
    message: string | readonly ClientPart[],
    options?: ClientSendOptions,
  ): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /** Runs a turn for the last message, if its turn failed, was cancelled or reached a limit. Needs the module `retry()` in the app. */
  retry(options?: AnsweringOptions): Promise<ClientAnswer<Output>>;
  /** Decides about a call that waits, once, and goes on with its turn. */
  decide(
    call: WaitingCall,
    decision: DecisionKind | Answer<'decision'>,
    options?: AnsweringOptions,
  ): Promise<ClientAnswer<Output>>;
  /** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
  result(
    call: WaitingCall,
    result: Answer<'result'>,
    options?: AnsweringOptions,
  ): Promise<ClientAnswer<Output>>;
  /** Answers several calls of one turn, and goes on with it. */
  answer(answers: readonly ClientCallAnswer[], options?: AnsweringOptions): Promise<ClientAnswer<Output>>;
  /** The same as it happens: only what is new since the calls waited. */
  streamAnswers(
    answers: readonly ClientCallAnswer[],
    options?: AnsweringOptions,
  ): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /** How a turn stands now; with `wait`, when it has ended or waits for somebody. */
  turn(
    id: string,
    options?: Waiting & { readonly wait?: boolean | undefined },
  ): Promise<ClientAnswer<Output>>;
  /** A turn from its first event on, and then live, until it has ended or waits for somebody. */
  follow(turn: string, options?: Waiting): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /** The state of the session. Unless it has changed, the same object as before is answered, and no state is sent over the line. */
  state(options?: Waiting): Promise<SessionView>;
  /** The events of the journal behind the one of the sequence `after`. */
  events(options?: EventsRange): AsyncGenerator<StoredEvent, void, undefined>;
  /** The same, and then what happens, until the signal aborts or the session is erased. */
  watch(options?: EventsRange): AsyncGenerator<WatchItem, void, undefined>;
  /** The bytes of a file of the session: of a message, or that a call gave. */
  file(id: string | { readonly id: string }, options?: Waiting): Promise<Blob>;
  /** Deletes a file of the session, for everyone. Rejects as `session-busy` while a turn runs. It may be sent again. */
  deleteFile(id: string | { readonly id: string }, options?: Waiting): Promise<void>;
  /**
   * Stops a turn, or ends one that waits before it begins; the open one unless its id is given, and then it is not sent again after a lost
   * connection, since another turn may be open by then.
   */
  cancel(turn?: string, options?: Waiting): Promise<CancelRequested>;
  /**
   * Makes a new session of the events of this one up to `at`, and returns it. Rejects as `would-repeat-effects` if the rest holds calls that
   * had effects. The app has `branches()`.
   */
  fork(options?: ClientForkOptions): Promise<ClientSession<Output>>;
  /** Removes all of the session. There is none afterwards, or was none. It is not sent again: there may be a new one by then. */
  erase(options?: Waiting): Promise<void>;
}

/** What a fork is to be. */
export interface ClientForkOptions extends Waiting {
  /** The last event that the fork has: a sequence of the session. Defaults to its last event. */
  readonly at?: number | undefined;
  /** The id of the fork. Defaults to a new one. */
  readonly name?: string | undefined;
  /** Allows a fork that leaves out calls which had effects: its model is shown them, and may repeat them. Defaults to false. */
  readonly repeatEffects?: boolean | undefined;
}

/** Which events are wanted. */
export interface EventsRange extends Waiting {
  /** Only those behind the one of this sequence; all unless given. */
  readonly after?: number | undefined;
  /** How often in a row a lost connection is tried again; as the client is told unless given. */
  readonly retries?: number | undefined;
}
