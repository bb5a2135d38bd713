/** A session for code of the app: the same that the HTTP routes are made of, without HTTP. */
import type { Agent } from '../agent/define-agent.ts';
import type { StoredEvent } from '../journal/events.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { SentDecision, SentResult } from '../session/answers/post-answer.ts';
import type { FeedItem } from '../session/live-feed.ts';
import type { AnswerObject, TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { DecisionKind, WhenBusy } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import type { JsonObject } from '../tool/json.ts';
import { type WithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { modelOfAgent } from './agent-model.ts';
import type { SentBody } from './answer-body.ts';
import { type AnswerKind, answerCall, DECIDING, GIVING_RESULT } from './answer-call.ts';
import { callerProblem, mustHaveTenant } from './auth.ts';
import { type BegunTurn, viewOf } from './begun-turn.ts';
import { type CancelRequested, cancelTurn, eraseSession } from './end-turn.ts';
import { filesTaken } from './files-taken.ts';
import type { Caller, Env, Invoked } from './host.ts';
import { checkMessage } from './message-body.ts';
import { toSessionError } from './refusal.ts';
import type { HttpHost } from './route.ts';
import { type SentMessage, sendMessage } from './send-message.ts';
import {
  type EventsWanted,
  eventsOf,
  type SessionView,
  type ShownEvent,
  viewOfSession,
  viewOfTurn,
} from './session-view.ts';
import { invoked, type SessionAccess, targetOf } from './target.ts';
import type { LaterView, SuspendedView, TurnView } from './turn-view.ts';

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
export interface SendOptions {
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
  extends Pick<SendOptions, 'idempotencyKey' | 'background' | 'signal' | 'onEvent'> {
  /** Which question of the call, where it asks more than one; the first unless given. */
  readonly question?: number | undefined;
}

/** Which events are wanted, and for how long. */
export interface EventsOptions extends EventsWanted {
  /** Ends them. */
  readonly signal?: AbortSignal | undefined;
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
  send(message: string | readonly ContentPart[], options?: SendOptions): Promise<SessionAnswer<Output>>;
  /** Decides about a call that waits, once, and goes on with its turn. */
  decide(
    call: string,
    decision: DecisionKind | SentDecision,
    options?: AnswerOptions,
  ): Promise<SessionAnswer<Output>>;
  /** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
  result(call: string, result: SentResult, options?: AnswerOptions): Promise<SessionAnswer<Output>>;
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

/** The app, and what keeps an invocation alive. */
interface CodeHost extends Pick<Invoked, 'waitUntil'> {
  readonly host: HttpHost;
}

/** Makes a session for code of the app. @throws ConfigurationError when the principal cannot be one. */
export function sessionFromCode<Output>(
  { host, waitUntil }: CodeHost,
  env: Env,
  { agent, session, principal: caller, request }: SessionOptions<Output>,
): Session<Output> {
  const problem = callerProblem(Object(caller));
  if (problem !== undefined)
    throw new ConfigurationError(`holdfast.session was given a principal ${problem}.`);
  const named = { agent: typeof agent === 'string' ? agent : agent.name, session };
  const enter = async (signal: AbortSignal = new AbortController().signal): Promise<Entered> => {
    mustHaveTenant(caller, host.legacyTenants);
    const here = invoked(host, env, { waitUntil });
    return {
      host: here,
      env,
      request,
      signal,
      target: await targetOf({ host: here, env, base: host.basePath }, caller, named),
    };
  };
  /** What is begun is left in good order, also when the code that asked for it does not wait. */
  const settled = <T>(work: Promise<T>): Promise<T> => {
    waitUntil(work.catch(() => {}));
    return told(work);
  };
  const answered = (
    { signal, onEvent }: Pick<SendOptions, 'signal' | 'onEvent'>,
    begin: (at: Entered) => Promise<BegunTurn>,
  ): Promise<SessionAnswer<Output>> =>
    settled(
      enter(signal).then(async (at) => {
        const begun = await begin(at);
        return toAnswer<Output>(await viewOf(at, begun, onEvent && showing(host, onEvent)));
      }),
    );
  const answer = (
    kind: AnswerKind,
    { call, body }: { readonly call: string; readonly body: SentBody },
    { question = 1, idempotencyKey, background = false, ...waiting }: AnswerOptions = {},
  ): Promise<SessionAnswer<Output>> => {
    const sent = { call, question, body, text: JSON.stringify(body), idempotencyKey };
    return answered(waiting, (at) => answerCall(at, kind, { ...sent, inBackground: background }));
  };
  return {
    send: (message, options = {}) =>
      answered(options, async (at) => sendMessage(at, toSent(at, message, options))),
    decide: (call, decision, options) => {
      const body = typeof decision === 'string' ? { decision } : { ...decision };
      return answer(DECIDING, { call, body }, options);
    },
    result: (call, result, options) => answer(GIVING_RESULT, { call, body: { ...result } }, options),
    turn: (id) => told(enter().then(async (at) => toAnswer<Output>(await viewOfTurn(at, id)))),
    state: () => told(enter().then(viewOfSession)),
    async *events({ signal, ...wanted } = {}) {
      try {
        yield* eventsOf(await enter(signal), wanted);
      } catch (failure) {
        throw toSessionError(failure) ?? failure;
      }
    },
    cancel: (turn) => settled(enter().then((at) => cancelTurn(at, turn))),
    erase: () => {
      const here = invoked(host, env, { waitUntil });
      return settled(eraseSession({ host: here, env, base: host.basePath, caller }, named));
    },
  };
}

/** A session that code has found. */
interface Entered extends SessionAccess {
  readonly host: HttpHost & Invoked;
}

/** What a failure says over HTTP is thrown as a SessionError; any other is thrown as it is. */
const told = <T>(work: Promise<T>): Promise<T> =>
  work.catch((failure) => {
    throw toSessionError(failure) ?? failure;
  });

/** Checks a message as its body is checked over HTTP, but for the keys of its context: code of the app may say any. */
function toSent(
  at: Entered,
  message: string | readonly ContentPart[],
  { context, loopId, delaySeconds, idempotencyKey, whenBusy, pending, background = false }: SendOptions,
): SentMessage {
  const { agent } = at.target;
  const values = context instanceof ToolCallContext ? context.toJSON() : context;
  const checked = checkMessage(
    { fields: { message, context: values, loopId, delaySeconds }, files: [], problems: [] },
    { maxBodyBytes: at.host.maxBodyBytes, taken: filesTaken(agent, modelOfAgent(at, agent)) },
  );
  return {
    ...checked,
    idempotencyKey,
    whenBusy: whenBusy === 'reject' ? undefined : whenBusy,
    declines: pending === 'decline',
    inBackground: background,
  };
}

function toAnswer<Output>(view: TurnView): SessionAnswer<Output> {
  return withArtifacts(view) as SessionAnswer<Output>; // its object has passed the agent's own schema
}

/** Shows events to code of the app, whose turn goes on whatever becomes of that. */
function showing(
  { log }: Pick<HttpHost, 'log'>,
  onEvent: (event: ShownEvent) => void,
): (item: FeedItem) => void {
  let isBroken = false;
  return (item) => {
    if (isBroken) return;
    try {
      onEvent(item.type === 'event' ? item.stored : item);
    } catch (thrown) {
      isBroken = true;
      const message = '`onEvent` of a message threw, and is told no more of its turn';
      log({ level: 'error', event: 'other', message, thrown });
    }
  };
}
