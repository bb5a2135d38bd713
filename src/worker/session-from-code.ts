/** A session for code of the app: the same that the HTTP routes are made of, without HTTP. */
import type { StoredEvent } from '../journal/events.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { SentDecision, SentResult } from '../session/answers/post-answer.ts';
import type { FeedItem } from '../session/live-feed.ts';
import type { AnswerObject, TurnAnswer } from '../session/watching/turn-outcome.ts';
import { attempt } from '../tool/async.ts';
import type { DecisionKind } from '../tool/call.ts';
import { shown } from '../tool/check-literal.ts';
import type { ContentPart } from '../tool/content.ts';
import { type WithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { modelOfAgent } from './agent-model.ts';
import type { SentBody } from './answer-body.ts';
import { type AnswerKind, answerCall, DECIDING, GIVING_RESULT } from './answer-call.ts';
import { callerProblem, mustHaveTenant } from './auth.ts';
import { type BegunTurn, viewOf } from './begun-turn.ts';
import { type CancelRequested, cancelTurn, eraseSession } from './end-turn.ts';
import { filesTaken } from './files-taken.ts';
import type { Env, Invoked } from './host.ts';
import { checkMessage } from './message-body.ts';
import { toSessionError } from './refusal.ts';
import type { HttpHost } from './route.ts';
import { type SentMessage, sendMessage } from './send-message.ts';
import {
  type AnswerOptions,
  type EventsOptions,
  type MessageOptions,
  mustBe,
  mustBeOne,
  type SessionOptions,
  SHAPES,
} from './session-options.ts';
import { eventsOf, type SessionView, type ShownEvent, viewOfSession, viewOfTurn } from './session-view.ts';
import { invoked, type SessionAccess, targetOf } from './target.ts';
import type { LaterView, SuspendedView, TurnView } from './turn-view.ts';

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
  send(message: string | readonly ContentPart[], options?: MessageOptions): Promise<SessionAnswer<Output>>;
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

/** Makes a session for code of the app. @throws ConfigurationError when the literal is none, or its principal cannot be one. */
export function sessionFromCode<Output>(
  app: CodeHost,
  env: Env,
  options: SessionOptions<Output>,
): Session<Output> {
  const door = doorOf(app, env, options);
  const answer = (begin: Beginning, waiting: Waiting): Promise<SessionAnswer<Output>> =>
    settled(app, answerOf(door, begin, waiting));
  const answering = (kind: AnswerKind, call: AnsweredCall): Promise<SessionAnswer<Output>> =>
    answer(async (at) => answerCall(at, kind, toSentAnswer(call)), call.options);
  return {
    send: (message, sending = {}) =>
      answer(async (at) => sendMessage(at, toSent(at, message, sending)), sending),
    decide(call, decision, answered = {}) {
      const body = typeof decision === 'string' ? { decision } : { ...decision };
      return answering(DECIDING, { call, body, options: answered });
    },
    result: (call, result, answered = {}) =>
      answering(GIVING_RESULT, { call, body: { ...result }, options: answered }),
    turn: (id) => told(door.enter().then(async (at) => toAnswer<Output>(await viewOfTurn(at, id)))),
    state: () => told(door.enter().then(async (at) => (await viewOfSession(at)).view)),
    async *events(wanted = {}) {
      try {
        mustBe(SHAPES.events, wanted);
        yield* eventsOf(await door.enter(wanted.signal), wanted);
      } catch (failure) {
        throw toSessionError(failure) ?? failure;
      }
    },
    cancel: (turn) =>
      settled(
        app,
        door.enter().then((at) => cancelTurn(at, turn)),
      ),
    erase: () => settled(app, door.erase()),
  };
}

/** The way to one session, on behalf of somebody. */
interface Door {
  /** Finds the session, as a new count of what this invocation uses. `signal` aborts when nobody waits any more. */
  enter(signal?: AbortSignal): Promise<Entered>;
  erase(): Promise<void>;
}

function doorOf({ host, waitUntil }: CodeHost, env: Env, options: SessionOptions): Door {
  const { named, caller, request } = checkedOptions(options);
  const here = (): HttpHost & Invoked => {
    mustHaveTenant(caller, host.legacyTenants);
    return invoked(host, env, { waitUntil });
  };
  return {
    async enter(signal = new AbortController().signal) {
      const app = { host: here(), env, base: host.basePath };
      return { ...app, request, signal, target: await targetOf(app, caller, named) };
    },
    erase: async () => eraseSession({ host: here(), env, base: host.basePath, caller }, named),
  };
}

/** @throws ConfigurationError for what is wrong with them. */
function checkedOptions(options: SessionOptions) {
  mustBe(SHAPES.session, options);
  const { agent, session, principal: caller, request } = options;
  const name: unknown = typeof agent === 'string' ? agent : Object(agent).name;
  if (typeof name !== 'string') {
    const use = "use one of the app's agents, or its name";
    throw new ConfigurationError(`holdfast.session: its agent is ${shown(agent)}: ${use}.`);
  }
  const problem = callerProblem(Object(caller));
  if (problem !== undefined)
    throw new ConfigurationError(`holdfast.session was given a principal ${problem}.`);
  return { named: { agent: name, session }, caller, request };
}

/** What is begun is left in good order, also when the code that asked for it does not wait. */
function settled<T>({ waitUntil }: CodeHost, work: Promise<T>): Promise<T> {
  waitUntil(work.catch(() => {}));
  return told(work);
}

type Beginning = (at: Entered) => Promise<BegunTurn>;
type Waiting = Pick<MessageOptions, 'signal' | 'onEvent'>;

async function answerOf<Output>(
  { enter }: Door,
  begin: Beginning,
  { signal, onEvent }: Waiting,
): Promise<SessionAnswer<Output>> {
  const at = await enter(signal);
  return toAnswer(await viewOf(at, await begin(at), onEvent && showing(at.host, onEvent)));
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

/** The answer of a call, as code gives it. */
interface AnsweredCall {
  readonly call: string;
  readonly body: SentBody;
  readonly options: AnswerOptions;
}

function toSentAnswer({ call, body, options }: AnsweredCall): Parameters<typeof answerCall>[2] {
  mustBe(SHAPES.answer, options);
  const { question = 1, idempotencyKey, background = false } = options;
  return { call, question, body, text: JSON.stringify(body), idempotencyKey, inBackground: background };
}

/** Checks a message as its body is checked over HTTP, but for the keys of its context: code of the app may say any. */
function toSent(at: Entered, message: string | readonly ContentPart[], options: MessageOptions): SentMessage {
  mustBe(SHAPES.send, options);
  const { context, loopId, delaySeconds, idempotencyKey, whenBusy, pending, background = false } = options;
  mustBeOne('whenBusy', whenBusy, ['reject', 'queue', 'steer']);
  mustBeOne('pending', pending, ['decline']);
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

/** Shows events to code of the app, whose turn goes on whatever becomes of that, also of a promise that it answers. */
function showing(
  { log }: Pick<HttpHost, 'log'>,
  onEvent: (event: ShownEvent) => unknown,
): (item: FeedItem) => void {
  let isBroken = false;
  const broke = (thrown: unknown): void => {
    if (isBroken) return;
    isBroken = true;
    const message = '`onEvent` of a message threw, and is told no more of its turn';
    log({ level: 'error', event: 'other', message, thrown });
  };
  return (item) => {
    if (isBroken) return;
    const told = attempt(() => onEvent(item.type === 'event' ? item.stored : item));
    if (!told.ok) broke(told.thrown);
    else Promise.resolve(told.value).catch(broke);
  };
}
