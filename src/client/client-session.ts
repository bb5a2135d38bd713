/** The client's API for an agent's sessions. */
import type { StoredEvent } from '../journal/events.ts';
import type { Answer, DecisionKind, WhenBusy } from '../tool/call.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { CancelRequested } from '../worker/end-turn.ts';
import type { SessionView } from '../worker/session-view.ts';
import type { PendingView } from '../worker/turn-view.ts';
import type { ClientAnswer, StreamItem, WatchItem } from './follow.ts';
import type { TransportOptions } from './transport.ts';

/** The URL of an agent, and the caller's credentials. */
export interface ClientOptions<Name = string> extends TransportOptions {
  /** The name of the agent. */
  readonly agent: Name;
  /**
   * The owner of the sessions, for operators: `id:` or `tenant:`, and a name. Requires `operators()` in the
   * app. Defaults to the caller.
   */
  readonly owner?: string | undefined;
}

/** The sessions of one agent. */
export interface Client<Output = Json> {
  /**
   * Returns a session by its id: 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -. Defaults to a new id.
   * Sends no request.
   */
  session(id?: string): ClientSession<Output>;
}

/** A file to send: from an input of a page, or bytes. */
export type SentFile =
  | Blob
  | { readonly bytes: Uint8Array; readonly mediaType: string; readonly name?: string };

/** A part of a message: text, or a file by its URL or in base64. */
export type ClientPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType?: string;
      readonly name?: string;
      /** A data URL, or an https URL, which is forwarded. */
      readonly url?: string;
      /** The bytes in base64. */
      readonly data?: string;
    };

/** Options for waiting. */
export interface WaitOptions {
  /** Stops the wait: the promise rejects with the signal's reason, and the turn continues. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a message. */
export interface ClientSendOptions extends WaitOptions {
  /** Files that follow the text. */
  readonly files?: readonly SentFile[] | undefined;
  /** The message's part of the tool-call context. The app limits its keys. */
  readonly context?: JsonObject | undefined;
  /** Continues the loop of an earlier turn. */
  readonly loopId?: string | undefined;
  /** Messages with the same key within a day start one turn. Defaults to a new key. */
  readonly idempotencyKey?: string | undefined;
  /** The behavior while a turn is open. Defaults to `reject`, which fails with `session-busy`. */
  readonly whenBusy?: WhenBusy | 'reject' | undefined;
  /**
   * `decline` declines the questions of the open turn, and ends it. The message is then sent, and comes after
   * messages that are already queued.
   */
  readonly pending?: 'decline' | undefined;
  /** Seconds until the turn starts. */
  readonly delaySeconds?: number | undefined;
  /** `true` to store the message without waiting for its turn. */
  readonly background?: boolean | undefined;
}

/** Options of answers to calls. */
export type AnsweringOptions = Pick<ClientSendOptions, 'signal' | 'idempotencyKey' | 'background'>;

/** A waiting call, from an answer or the state, or its id. */
export type WaitingCall = string | Pick<PendingView, 'call' | 'question'>;

/** The answer to one of several calls. */
export type ClientCallAnswer = { readonly call: WaitingCall } & Answer;

/**
 * One session of an agent. Its methods throw refusals as a HoldfastError. Each message has a key, so that a
 * retry after a lost connection does not process it twice.
 */
export interface ClientSession<Output = Json> {
  readonly id: string;
  /**
   * Runs a turn, and returns its outcome: its answer, even if it `failed`, or the calls that it waits for.
   */
  send(message: string | readonly ClientPart[], options?: ClientSendOptions): Promise<ClientAnswer<Output>>;
  /**
   * Runs a turn, and yields its items as they happen, including partial text. Resumes after a lost
   * connection.
   */
  stream(
    message: string | readonly ClientPart[],
    options?: ClientSendOptions,
  ): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /**
   * Runs a turn for the last message, if its turn failed, was cancelled or reached a limit. Requires
   * `retry()` in the app.
   */
  retry(options?: AnsweringOptions): Promise<ClientAnswer<Output>>;
  /** Decides a waiting call, at most once, and resumes its turn. */
  decide(
    call: WaitingCall,
    decision: DecisionKind | Answer<'decision'>,
    options?: AnsweringOptions,
  ): Promise<ClientAnswer<Output>>;
  /** Sends the result of a tool that the caller runs, at most once, and resumes its turn. */
  result(
    call: WaitingCall,
    result: Answer<'result'>,
    options?: AnsweringOptions,
  ): Promise<ClientAnswer<Output>>;
  /** Answers several calls of one turn, and resumes it. */
  answer(answers: readonly ClientCallAnswer[], options?: AnsweringOptions): Promise<ClientAnswer<Output>>;
  /** Answers several calls, and yields the items of the turn since the calls began to wait. */
  streamAnswers(
    answers: readonly ClientCallAnswer[],
    options?: AnsweringOptions,
  ): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /** Returns the current view of a turn, or with `wait`, its view when it has ended or waits for a person. */
  turn(
    id: string,
    options?: WaitOptions & { readonly wait?: boolean | undefined },
  ): Promise<ClientAnswer<Output>>;
  /** Yields the items of a turn from its first event, then live, until it has ended or waits for a person. */
  follow(turn: string, options?: WaitOptions): AsyncGenerator<StreamItem<Output>, void, undefined>;
  /**
   * Returns the state of the session. If it has not changed, returns the same object as before, and the
   * server sends no state.
   */
  state(options?: WaitOptions): Promise<SessionView>;
  /** Yields the events of the journal after the sequence `after`. */
  events(options?: EventsRange): AsyncGenerator<StoredEvent, void, undefined>;
  /** Yields these events, then new ones, until the signal aborts or the session is erased. */
  watch(options?: EventsRange): AsyncGenerator<WatchItem, void, undefined>;
  /** Returns the bytes of a file of the session, from a message or a call. */
  file(id: string | { readonly id: string }, options?: WaitOptions): Promise<Blob>;
  /**
   * Deletes a file of the session, for everyone. Rejects as `session-busy` while a turn runs. The same file
   * can be sent again.
   */
  deleteFile(id: string | { readonly id: string }, options?: WaitOptions): Promise<void>;
  /**
   * Stops a turn, or ends a waiting one before it starts. Defaults to the open turn. This default is not
   * retried after a lost connection, since another turn may be open then.
   */
  cancel(turn?: string, options?: WaitOptions): Promise<CancelRequested>;
  /**
   * Makes a new session from the events of this one up to `at`, and returns it. Rejects as
   * `would-repeat-effects` if later events contain calls that had effects. Requires `branches()` in the app.
   */
  fork(options?: ClientForkOptions): Promise<ClientSession<Output>>;
  /**
   * Erases the session. Succeeds even if it does not exist. Not retried after a lost connection, since a new
   * session may exist by then.
   */
  erase(options?: WaitOptions): Promise<void>;
}

/** Options of a fork. */
export interface ClientForkOptions extends WaitOptions {
  /** The last event in the fork: a sequence of the session. Defaults to the session's last event. */
  readonly at?: number | undefined;
  /** The id of the fork. Defaults to a new one. */
  readonly name?: string | undefined;
  /**
   * `true` to allow a fork without some calls that had effects. Its model is shown these calls, and may
   * repeat them. Defaults to `false`.
   */
  readonly repeatEffects?: boolean | undefined;
}

/** Selects events. */
export interface EventsRange extends WaitOptions {
  /** Only events after this sequence. Defaults to all. */
  readonly after?: number | undefined;
  /** The maximum number of retries in a row after a lost connection. Defaults to the client's setting. */
  readonly retries?: number | undefined;
}
