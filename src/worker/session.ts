/** The session API for the app's code and the surfaces of a Worker. */

import type { Agent } from '../agent/define-agent.ts';
import type { StoredEvent } from '../journal/events.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { AnswerObject, TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { Answer, DecisionKind, WhenBusy } from '../tool/call.ts';
import type { JsonObject } from '../tool/json.ts';
import type { AnswerWithArtifacts } from '../tool/kept-values.ts';
import { type LiteralOf, literals } from '../tool/literals.ts';
import { describeValue, withFullStop } from '../tool/shown.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { SentPart } from './app-files.ts';
import type { CancelRequested } from './end-turn.ts';
import type { Caller } from './host.ts';
import type { EventsQuery, SessionView, ShownEvent } from './session-view.ts';
import type { TurnItem } from './turn-feed.ts';
import type { LaterView, SuspendedView } from './turn-view.ts';

/**
 * The items of a turn: its events when they are durable, its text as it arrives, and last its outcome. It can
 * be read only once. A slow reader receives the rest from the journal, without partial text.
 */
export interface TurnStream extends AsyncIterable<TurnItem> {
  /** The id of the turn. */
  readonly turn: string;
  /**
   * `true` if this request did not start the turn: it only follows the turn, or an earlier request sent the
   * message under the same key.
   */
  readonly isJoined: boolean;
}

type ViewWithTypedObject<View, Output> = Omit<View, 'object'> & { readonly object?: AnswerObject<Output> };

/** The properties that are absent until there is an answer. */
interface NoAnswer {
  readonly outcome?: undefined;
  readonly text?: undefined;
  readonly object?: undefined;
  readonly artifacts?: undefined;
  readonly usage?: undefined;
  readonly iterations?: undefined;
  readonly toolCalls?: undefined;
  readonly error?: undefined;
}

/**
 * The response to a message, in the shape of the HTTP API. `outcome` is the end of the turn, or `suspended`,
 * with its `pending` calls. Without an `outcome`, there is no answer yet, and `status` is the reason. A
 * failed turn is also an answer, with the outcome `failed` and its `error`.
 */
export type SessionAnswer<Output = unknown> = AnswerWithArtifacts<
  | (ViewWithTypedObject<TurnAnswer, Output> & { readonly status?: undefined })
  | ViewWithTypedObject<SuspendedView, Output>
  | (LaterView & NoAnswer)
>;

/**
 * One session of one agent, on behalf of a principal. All methods work like the HTTP API, and throw its
 * refusals: a SessionError with the `type` of the problem, or a ConfigurationError for problems of the
 * deployment. Each method counts its usage of the invocation's limits separately, so run turns in the
 * background to start many of them in one invocation.
 */
export interface Session<Output = unknown> {
  /** Runs a turn in this invocation, which is kept alive for it, and returns its outcome. */
  send(message: string | readonly SentPart[], options?: MessageOptions): Promise<SessionAnswer<Output>>;
  /** Decides a waiting call, once, and resumes its turn. */
  decide(
    call: string,
    decision: DecisionKind | Answer<'decision'>,
    options?: AnswerOptions,
  ): Promise<SessionAnswer<Output>>;
  /** Sends the result of a tool that the caller runs, once, and resumes its turn. */
  result(call: string, result: Answer<'result'>, options?: AnswerOptions): Promise<SessionAnswer<Output>>;
  /**
   * Answers several calls of one turn, each once, and resumes the turn. Checks all answers before it accepts
   * the first.
   */
  answer(answers: readonly CallAnswer[], options?: AnswersOptions): Promise<SessionAnswer<Output>>;
  /**
   * Sends a message like `send`, and returns the items of its turn as they arrive. The turn runs even if they
   * are not read.
   */
  stream(message: string | readonly SentPart[], options?: StreamOptions): Promise<TurnStream>;
  /**
   * Sends answers like `answer`, and returns the items of the turn that follow: those after the event
   * `after`, or else after the answered questions.
   */
  streamAnswers(answers: readonly CallAnswer[], options?: AnswersStreamOptions): Promise<TurnStream>;
  /**
   * Shows a turn from its first event, or after the event `after`, until it has ended or waits for a person.
   */
  follow(turn: string, options?: FollowOptions): Promise<TurnStream>;
  /** Returns the view of one turn, without waiting for its end. */
  turn(id: string): Promise<SessionAnswer<Output>>;
  /** Returns the state of the session. */
  state(): Promise<SessionView>;
  /** Yields the events of the journal so far, and with `live` also new ones. */
  events(options?: EventsOptions): AsyncGenerator<StoredEvent, void, undefined>;
  /** Stops a turn, or ends a waiting one before it starts. Defaults to the open turn. */
  cancel(turn?: string): Promise<CancelRequested>;
  /** Erases the session. Succeeds even if it does not exist. */
  erase(): Promise<void>;
}

/** The session, and the principal. */
export interface SessionOptions<Output = unknown> {
  /** One of the app's agents, or its name. With the agent itself, answers have the type of its output. */
  readonly agent: Agent<string, Output> | string;
  /**
   * The id of the session: letters, digits and `_ . : -`, at most 128. The session starts with its first
   * message.
   */
  readonly session: string;
  /**
   * The principal, in the form that `auth` returns. It is trusted: use credentials that your code has
   * verified, never unverified input. It determines the owner of the session: its tenant, or itself.
   */
  readonly principal: Caller;
  /** The request that causes this access, if any. `context` and `secrets` of the app receive it. */
  readonly request?: Request | undefined;
}

/** Options of a message. */
export interface MessageOptions {
  /** The message's part of the tool-call context. Unlike in a request body, any key is allowed. */
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** Continues the loop of an earlier turn. */
  readonly loopId?: string | undefined;
  /** Messages with the same key within a day start one turn, and all get its answer. */
  readonly idempotencyKey?: string | undefined;
  /**
   * The behavior while a turn is open, like `?whenBusy=` of the HTTP API. Defaults to `reject`, which throws
   * `session-busy`.
   */
  readonly whenBusy?: WhenBusy | 'reject' | undefined;
  /**
   * `decline` declines the questions of the open turn, and ends it. The message is then sent, and comes after
   * messages that are already queued.
   */
  readonly pending?: 'decline' | undefined;
  /** Seconds until the turn starts. */
  readonly delaySeconds?: number | undefined;
  /** `true` to store the message and return at once. Its turn runs in a separate invocation. */
  readonly background?: boolean | undefined;
  /**
   * Aborts the wait. The promise then rejects with the signal's reason, and the turn continues in another
   * invocation.
   */
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of the turn as they happen, including partial text, like a stream over HTTP. */
  readonly onEvent?: ((event: ShownEvent) => void) | undefined;
}

/** Options of the answer to a call. */
export interface AnswerOptions
  extends Pick<MessageOptions, 'idempotencyKey' | 'background' | 'signal' | 'onEvent'> {
  /** The question of the call to answer. Defaults to the first. */
  readonly question?: number | undefined;
}

/** One of several answers: a decision about a call, or the result of a tool that the caller ran. */
export type CallAnswer = {
  readonly call: string;
  /** The question of the call to answer. Defaults to the first. */
  readonly question?: number | undefined;
} & Answer;

/** Options of several answers. */
export type AnswersOptions = Omit<AnswerOptions, 'question'>;

/** Options of following a turn. */
export interface FollowOptions {
  /** Selects only events after this sequence number. Defaults to all. */
  readonly after?: number | undefined;
  /** Aborts when the reader stops. A turn that runs here then continues in another invocation. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a message whose turn is streamed. */
export type StreamOptions = Omit<MessageOptions, 'background' | 'onEvent'> & FollowOptions;

/** Options of answers whose turn is streamed. */
export type AnswersStreamOptions = Pick<MessageOptions, 'idempotencyKey'> & FollowOptions;

/** Options of reading events. */
export interface EventsOptions extends EventsQuery {
  /** Aborts the read. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs in development only. @throws ConfigurationError if a key of the options is unknown, missing or of
 * another type.
 */
export function assertOptions(literal: LiteralOf & string, given: unknown): void {
  const fault = literals?.fault(given, literal);
  if (fault) throw new ConfigurationError(`${literal} ${withFullStop(fault.problem)}`);
}

/** Checks the options and returns them. @throws as `assertOptions`. */
export function checkOptions<Options>(literal: LiteralOf & string, given: Options): Options {
  assertOptions(literal, given);
  return given;
}

/** @throws ConfigurationError if the value is not allowed. */
export function assertOneOf(name: 'whenBusy' | 'pending', value: unknown, known: readonly string[]): void {
  if (value === undefined || known.some((one) => one === value)) return;
  throw new ConfigurationError(
    `session.send has ${describeValue(value)} as its '${name}'. Use ${known.join(', ')}.`,
  );
}
