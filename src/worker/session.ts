/** What code of the app, and the surfaces of a Worker, can ask of a session. */

import type { StoredEvent } from '../journal/events.ts';
import type { SentDecision, SentResult } from '../journal/wait.ts';
import type { AnswerObject, TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { DecisionKind } from '../tool/call.ts';
import type { WithArtifacts } from '../tool/kept-values.ts';
import type { CancelRequested } from './end-turn.ts';
import type { SentPart } from './sent-parts.ts';
import type {
  AnswerOptions,
  AnswersOptions,
  AnswersStreamOptions,
  CallAnswer,
  EventsOptions,
  FollowOptions,
  MessageOptions,
  StreamOptions,
} from './session-options.ts';
import type { SessionView } from './session-view.ts';
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
    decision: DecisionKind | SentDecision,
    options?: AnswerOptions,
  ): Promise<SessionAnswer<Output>>;
  /** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
  result(call: string, result: SentResult, options?: AnswerOptions): Promise<SessionAnswer<Output>>;
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
