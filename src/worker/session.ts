/** What code of the app, and the surfaces of a Worker, can ask of a session. */

import type { Agent } from '../agent/define-agent.ts';
import type { StoredEvent } from '../journal/events.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { AnswerObject, TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { Answer, DecisionKind, WhenBusy } from '../tool/call.ts';
import type { JsonObject } from '../tool/json.ts';
import type { WithArtifacts } from '../tool/kept-values.ts';
import { type LiteralOf, literals } from '../tool/literals.ts';
import { ended, shown } from '../tool/shown.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { SentPart } from './app-files.ts';
import type { CancelRequested } from './end-turn.ts';
import type { Caller } from './host.ts';
import type { EventsWanted, SessionView, ShownEvent } from './session-view.ts';
import type { TurnItem } from './turn-feed.ts';
import type { LaterView, SuspendedView } from './turn-view.ts';

/**
 * What a turn shows: its events as they become durable, its text as it comes, and last how it stands. It is read once. Whoever falls
 * behind is shown the rest from the journal, without the pieces of text.
 */
export interface TurnStream extends AsyncIterable<TurnItem> {
  /** The id of the turn. */
  readonly turn: string;
  /** `true` if this request has not begun the turn: it follows it, or an earlier request sent the same message under the same key. */
  readonly isJoined: boolean;
}

type Typed<View, Output> = Omit<View, 'object'> & { readonly object?: AnswerObject<Output> };

/** What a turn without an answer does not have. */
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
 * What a message is answered, in the shape of the HTTP API. `outcome` says how the turn ended, or that it is `suspended`, with its
 * `pending` calls. Without an `outcome` there is no answer yet, and `status` says why. A turn that failed is an answer too, with the
 * outcome `failed` and its `error`.
 */
export type SessionAnswer<Output = unknown> = WithArtifacts<
  | (Typed<TurnAnswer, Output> & { readonly status?: undefined })
  | Typed<SuspendedView, Output>
  | (LaterView & NoAnswer)
>;

/**
 * One session of one agent, on behalf of somebody. Everything is done as the HTTP API does it, and what that refuses is thrown: a
 * SessionError with the `type` of the problem, or a ConfigurationError for what the deployment lacks. Each method counts what it
 * uses of the invocation's limits by itself, so that many turns in one invocation are better sent to the background.
 */
export interface Session<Output = unknown> {
  /** Runs a turn in this invocation, which is kept alive for it, and answers what it came to. */
  send(message: string | readonly SentPart[], options?: MessageOptions): Promise<SessionAnswer<Output>>;
  /** Decides about a call that waits, once, and goes on with its turn. */
  decide(
    call: string,
    decision: DecisionKind | Answer<'decision'>,
    options?: AnswerOptions,
  ): Promise<SessionAnswer<Output>>;
  /** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
  result(call: string, result: Answer<'result'>, options?: AnswerOptions): Promise<SessionAnswer<Output>>;
  /** Answers several calls of one turn, each once, and goes on with it. All are checked before the first is taken. */
  answer(answers: readonly CallAnswer[], options?: AnswersOptions): Promise<SessionAnswer<Output>>;
  /** As `send`, with what its turn shows, as it comes. The turn runs whether that is read or not. */
  stream(message: string | readonly SentPart[], options?: StreamOptions): Promise<TurnStream>;
  /** As `answer`, with what its turn shows from then on: behind the event `after`, or else behind the questions that are answered. */
  streamAnswers(answers: readonly CallAnswer[], options?: AnswersStreamOptions): Promise<TurnStream>;
  /** Shows a turn from its first event on, or behind the event `after`, until it has ended or waits for somebody. */
  follow(turn: string, options?: FollowOptions): Promise<TurnStream>;
  /** How one turn stands. It is not waited for. */
  turn(id: string): Promise<SessionAnswer<Output>>;
  /** The state of the session. */
  state(): Promise<SessionView>;
  /** The events of the journal so far, or with `live` also those that come. */
  events(options?: EventsOptions): AsyncGenerator<StoredEvent, void, undefined>;
  /** Stops a turn, or ends one that waits before it begins; the open one unless its id is given. */
  cancel(turn?: string): Promise<CancelRequested>;
  /** Removes all of the session. There is none afterwards, or was none. */
  erase(): Promise<void>;
}

/** Which session, and on whose behalf. */
export interface SessionOptions<Output = unknown> {
  /** One of the app's, or its name. Given the agent itself, answers have the type of its output. */
  readonly agent: Agent<string, Output> | string;
  /** The id of the session: letters, digits and `_ . : -`, at most 128. It begins with its first message. */
  readonly session: string;
  /**
   * Who asks, as `auth` would answer it. It is taken as it is: the code that says it must have it from credentials that it has
   * verified, and never from what somebody merely sent. Whose the session is follows from it: its tenant's, or its own.
   */
  readonly principal: Caller;
  /** The request for which this is done, if there is one: `context` and `secrets` of the app are handed it. */
  readonly request?: Request | undefined;
}

/** What may be said beside a message. */
export interface MessageOptions {
  /** The message's part of the tool-call context. Any key, unlike what a request body says. */
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** Continues the loop of an earlier turn. */
  readonly loopId?: string | undefined;
  /** However often the message is sent under it within a day, it starts one turn, and is answered that turn. */
  readonly idempotencyKey?: string | undefined;
  /** While a turn is open: `reject`, the default, throws `session-busy`; as `?whenBusy=` of the HTTP API. */
  readonly whenBusy?: WhenBusy | 'reject' | undefined;
  /** Declines what the turn before waits for, ends it, and then takes the message. */
  readonly pending?: 'decline' | undefined;
  /** The turn starts so much later. */
  readonly delaySeconds?: number | undefined;
  /** Stores the message and answers at once: its turn runs in an invocation of its own. */
  readonly background?: boolean | undefined;
  /** Nobody waits any more when it aborts: what is awaited rejects with its reason, and the turn goes on in another invocation. */
  readonly signal?: AbortSignal | undefined;
  /** Gets what happens in the turn as it comes, pieces of text too, as the events of a stream over HTTP. */
  readonly onEvent?: ((event: ShownEvent) => void) | undefined;
}

/** What may be said beside the answer of a call. */
export interface AnswerOptions
  extends Pick<MessageOptions, 'idempotencyKey' | 'background' | 'signal' | 'onEvent'> {
  /** Which question of the call is answered. Defaults to the first. */
  readonly question?: number | undefined;
}

/** One of several answers: what is decided about a call, or what came of a tool that the caller ran. */
export type CallAnswer = {
  readonly call: string;
  /** Which question of the call is answered. Defaults to the first. */
  readonly question?: number | undefined;
} & Answer;

/** What may be said beside several answers. */
export type AnswersOptions = Omit<AnswerOptions, 'question'>;

/** From where on a turn is shown, and to whom. */
export interface FollowOptions {
  /** Only what comes behind the event of this sequence. */
  readonly after?: number | undefined;
  /** Nobody reads any more when it aborts: a turn that runs here goes on in another invocation. */
  readonly signal?: AbortSignal | undefined;
}

/** What may be said beside a message whose turn is shown. */
export type StreamOptions = Omit<MessageOptions, 'background' | 'onEvent'> & FollowOptions;

/** What may be said beside answers whose turn is shown. */
export type AnswersStreamOptions = Pick<MessageOptions, 'idempotencyKey'> & FollowOptions;

/** Which events are wanted, and for how long. */
export interface EventsOptions extends EventsWanted {
  /** Ends them. */
  readonly signal?: AbortSignal | undefined;
}

/** In development: @throws ConfigurationError if a key of such a literal is unknown, missing or of another kind. */
export function mustBe(literal: LiteralOf & string, given: unknown): void {
  const fault = literals?.fault(given, literal);
  if (fault) throw new ConfigurationError(`${literal}: it ${ended(fault.problem)}`);
}

/** Returns what was given. @throws as `mustBe`. */
export function checked<Options>(literal: LiteralOf & string, given: Options): Options {
  mustBe(literal, given);
  return given;
}

/** @throws ConfigurationError when a value is none of those that it can be. */
export function mustBeOne(name: 'whenBusy' | 'pending', value: unknown, known: readonly string[]): void {
  if (value === undefined || known.some((one) => one === value)) return;
  throw new ConfigurationError(`session.send: its ${name} is ${shown(value)}: use ${known.join(', ')}.`);
}
