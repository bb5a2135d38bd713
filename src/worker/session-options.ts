/** What code of the app says when it asks a session for something, and what is wrong with it. */
import type { Agent } from '../agent/define-agent.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { SentDecision, SentResult } from '../session/answers/post-answer.ts';
import type { WhenBusy } from '../tool/call.ts';
import { ended, type LiteralShape, literalFault, shown } from '../tool/check-literal.ts';
import type { JsonObject } from '../tool/json.ts';
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

/** What the literals hold, since plain JavaScript may hand over anything. */
export const SHAPES = {
  session: {
    of: 'holdfast.session',
    keys: { agent: 'any', session: 'text', principal: 'any', request: 'any' },
    required: ['agent', 'session'],
    foreign: { id: 'session', user: 'principal', caller: 'principal', owner: 'principal' },
  } satisfies LiteralShape<keyof SessionOptions>,
  send: {
    of: 'session.send',
    keys: {
      context: 'any',
      loopId: 'any',
      idempotencyKey: 'text',
      whenBusy: 'any',
      pending: 'any',
      delaySeconds: 'any',
      background: 'flag',
      signal: 'any',
      onEvent: 'function',
    },
    required: [],
  } satisfies LiteralShape<keyof MessageOptions>,
  answer: {
    of: 'the answer of a call',
    keys: { question: 'any', idempotencyKey: 'text', background: 'flag', signal: 'any', onEvent: 'function' },
    required: [],
  } satisfies LiteralShape<keyof AnswerOptions>,
  answers: {
    of: 'session.answer',
    keys: { idempotencyKey: 'text', background: 'flag', signal: 'any', onEvent: 'function' },
    required: [],
  } satisfies LiteralShape<keyof AnswersOptions>,
  stream: {
    of: 'session.stream',
    keys: {
      context: 'any',
      loopId: 'any',
      idempotencyKey: 'text',
      whenBusy: 'any',
      pending: 'any',
      delaySeconds: 'any',
      after: 'any',
      signal: 'any',
    },
    required: [],
  } satisfies LiteralShape<keyof StreamOptions>,
  streamAnswers: {
    of: 'session.streamAnswers',
    keys: { idempotencyKey: 'text', after: 'any', signal: 'any' },
    required: [],
  } satisfies LiteralShape<keyof AnswersStreamOptions>,
  follow: {
    of: 'session.follow',
    keys: { after: 'any', signal: 'any' },
    required: [],
  } satisfies LiteralShape<keyof FollowOptions>,
  events: {
    of: 'session.events',
    keys: { after: 'any', turn: 'text', live: 'flag', signal: 'any' },
    required: [],
  } satisfies LiteralShape<keyof EventsOptions>,
};

/** @throws ConfigurationError when a key is not known, or its value is of another kind. */
export function mustBe(shape: LiteralShape, given: unknown): void {
  const fault = literalFault(given, shape);
  if (fault) throw new ConfigurationError(`${shape.of}: it ${ended(fault.problem)}`);
}

/** Answers what was given. @throws as `mustBe`. */
export function checked<Options>(shape: LiteralShape, given: Options): Options {
  mustBe(shape, given);
  return given;
}

/** @throws ConfigurationError when a value is none of those that it can be. */
export function mustBeOne(name: 'whenBusy' | 'pending', value: unknown, known: readonly string[]): void {
  if (value === undefined || known.some((one) => one === value)) return;
  throw new ConfigurationError(`session.send: its ${name} is ${shown(value)}: use ${known.join(', ')}.`);
}
