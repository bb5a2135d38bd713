/** What code of the app says when it asks a session for something, and what is wrong with it. */
import type { Agent } from '../agent/define-agent.ts';
import type { SentDecision, SentResult } from '../journal/wait.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { JsonObject } from '../tool/json.ts';
import { type LiteralOf, literals } from '../tool/literals.ts';
import { ended, shown } from '../tool/shown.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Caller } from './host.ts';
import type { EventsWanted, ShownEvent } from './session-view.ts';

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
  /** While a turn is open: `reject`, unless given, throws `session-busy`; as `?whenBusy=` of the HTTP API. */
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
  /** Which question of the call, where it asks more than one; the first unless given. */
  readonly question?: number | undefined;
}

/** One of several answers: what is decided about a call, or what came of a tool that the caller ran. */
export type CallAnswer = {
  readonly call: string;
  /** Which question of the call, where it asks more than one; the first unless given. */
  readonly question?: number | undefined;
} & (SentDecision | SentResult);

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
