/** A session for code of the app: the same functions as the HTTP routes, without HTTP. */
import type { SentAnswer } from '../journal/asking.ts';
import { needsAnswers } from '../loop/running-call.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { showing } from '../session/live-feed.ts';
import { CALLS } from '../tool/call-origin.ts';
import { withArtifacts } from '../tool/kept-values.ts';
import { shown } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { TakesAnswers } from './answering.ts';
import type { SentPart } from './app-files.ts';
import { appParts } from './app-seam.ts';
import { callerProblem } from './auth.ts';
import { type BegunTurn, followerOf, viewOf } from './begun-turn.ts';
import { checkMessage } from './body.ts';
import type { CodeHost } from './code-host.ts';
import { cancelTurn, eraseSession } from './end-turn.ts';
import type { Env, Invoked } from './host.ts';
import { toSessionError } from './refusal.ts';
import { noSequence } from './request-headers.ts';
import type { HttpHost } from './route.ts';
import { type SentMessage, sendMessage } from './send-message.ts';
import {
  type AnswerOptions,
  type AnswersOptions,
  type CallAnswer,
  checked,
  type MessageOptions,
  mustBe,
  mustBeOne,
  type Session,
  type SessionAnswer,
  type SessionOptions,
  type StreamOptions,
  type TurnStream,
} from './session.ts';
import { eventsOf, viewOfSession, viewOfTurn } from './session-view.ts';
import { filesOfAgent, invoked, type SessionAccess, targetOf } from './target.ts';
import { turnFeed } from './turn-feed.ts';
import { ANSWERING_APP } from './turn-response.ts';
import type { TurnView } from './turn-view.ts';

/**
 * Makes a session for code of the app. @throws ConfigurationError if the options or the principal are
 * invalid.
 */
export function sessionFromCode<Output>(
  app: CodeHost,
  env: Env,
  options: SessionOptions<Output>,
): Session<Output> {
  const door = doorOf(app, env, options);
  const answer = (begin: Beginning, waiting: Waiting): Promise<SessionAnswer<Output>> =>
    settled(app, answerOf(door, begin, waiting));
  const answerOne = (
    sent: Omit<SentAnswer, 'question'>,
    options: AnswerOptions,
  ): Promise<SessionAnswer<Output>> =>
    answer(async (at) => {
      const { question = 1, ...how } = checked('the answer of a call', options);
      return take(at, () => [{ ...sent, question }], how);
    }, options);
  const show = (begin: Beginning, { after, signal }: Shown): Promise<TurnStream> =>
    settled(app, streamOf(door, begin, { after, signal }));
  const session: Session<Output> = {
    send: (message, sending = {}) =>
      answer(async (at) => sendMessage(at, toSent(at, message, sending)), sending),
    decide(call, decision, answered = {}) {
      const body = typeof decision === 'string' ? { decision } : { ...decision };
      return answerOne({ for: 'decision', call, body }, answered);
    },
    result: (call, result, answered = {}) =>
      answerOne({ for: 'result', call, body: { ...result } }, answered),
    answer: (answers, answered = {}) =>
      answer(async (at) => take(at, listed(answers), checked('session.answer', answered)), answered),
    stream: (message, streaming = {}) =>
      show(async (at) => sendMessage(at, toSent(at, message, toSending(streaming))), streaming),
    streamAnswers: (answers, streaming = {}) =>
      show(async (at) => take(at, listed(answers), checked('session.streamAnswers', streaming)), streaming),
    follow: (id, following = {}) => show((at) => knownTurn(at, id), checked('session.follow', following)),
    turn: (id) => told(door.enter().then(async (at) => toAnswer<Output>(await viewOfTurn(at, id)))),
    state: () => told(door.enter().then(async (at) => (await viewOfSession(at)).view)),
    async *events(wanted = {}) {
      try {
        mustBe('session.events', wanted);
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
  DOORS.set(session, { app, door });
  return session;
}

/** The access to the session of each object from `sessionOf`. */
const DOORS = new WeakMap<object, { readonly app: CodeHost; readonly door: Door }>();

/** Runs work in a session from `sessionOf`: for functions of modules that receive such a session. */
export function inSession<T>(session: object, work: (at: Entered) => Promise<T>): Promise<T> {
  const found = DOORS.get(session);
  if (!found) throw new TypeError(`There is no session in ${shown(session)}: use what sessionOf returns.`);
  return settled(found.app, found.door.enter().then(work));
}

/** The access to one session, on behalf of a principal. */
interface Door {
  /**
   * Opens the session, with a new count of this invocation's use. `signal` aborts when the caller no longer
   * waits.
   */
  enter(signal?: AbortSignal): Promise<Entered>;
  erase(): Promise<void>;
}

function doorOf({ host, waitUntil, sentBy }: CodeHost, env: Env, options: SessionOptions): Door {
  const { named, caller, request } = checkedOptions(options);
  const here = (): HttpHost & Invoked => invoked(host, env, { waitUntil });
  return {
    async enter(signal = new AbortController().signal) {
      const app = { host: here(), env, base: host.basePath };
      const origin = CALLS.originOf(env);
      return { ...app, sentBy, origin, request, signal, target: targetOf(app, caller, named) };
    },
    erase: async () => eraseSession({ host: here(), env, base: host.basePath, caller }, named),
  };
}

/** @throws ConfigurationError if an option is invalid. */
function checkedOptions(options: SessionOptions) {
  mustBe('sessionOf', options);
  const { agent, session, principal: caller, request } = options;
  const name: unknown = typeof agent === 'string' ? agent : Object(agent).name;
  if (typeof name !== 'string') {
    const use = "use one of the app's agents, or its name";
    throw new ConfigurationError(`sessionOf: its agent is ${shown(agent)}: ${use}.`);
  }
  const problem = callerProblem(Object(caller));
  if (problem !== undefined) throw new ConfigurationError(`sessionOf was given a principal ${problem}.`);
  return { named: { agent: name, session }, caller, request };
}

/** Keeps the invocation alive until the work is done, even if the calling code does not wait. */
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
  const follower = onEvent && followerOf(at.signal, showing(at.host, onEvent));
  return toAnswer(await viewOf(at, await begin(at), follower));
}

type Shown = Pick<StreamOptions, 'after' | 'signal'>;

/** The turn has started when this resolves. The caller then reads its items. */
async function streamOf({ enter }: Door, begin: Beginning, { after, signal }: Shown): Promise<TurnStream> {
  if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) throw noSequence();
  const at = await enter(signal);
  const begun = await begin(at);
  const items = turnFeed(at, begun, {
    after: after ?? (begun.later ? undefined : begun.askedAt),
    signal: at.signal,
  });
  const isJoined = begun.later !== undefined || begun.run === undefined;
  return { turn: begun.turn ?? begun.later.turn, isJoined, [Symbol.asyncIterator]: () => items };
}

/** Returns a turn that has events of its own, or will have. @throws SessionError if it does not exist. */
async function knownTurn(at: Entered, id: string): Promise<BegunTurn> {
  const view = await viewOfTurn(at, id);
  return 'status' in view && view.status === 'steered' ? { later: view } : { turn: id };
}

/** A session that code has opened. */
export interface Entered extends SessionAccess {
  readonly host: HttpHost & Invoked;
  readonly sentBy: CodeHost['sentBy'];
}

/** Converts failures with an HTTP problem to a SessionError, and rethrows others unchanged. */
const told = <T>(work: Promise<T>): Promise<T> =>
  work.catch((failure) => {
    throw toSessionError(failure) ?? failure;
  });

/** Sends answers as their routes do. @throws ConfigurationError if no module accepts answers. */
async function take(
  at: Entered,
  sent: (takes: TakesAnswers) => readonly SentAnswer[],
  { idempotencyKey, background = false }: AnswersOptions,
): Promise<BegunTurn> {
  const takes = answeringOf(at.host);
  const how = { idempotencyKey, inBackground: background };
  return takes.take({ app: ANSWERING_APP, at }, sent(takes), how);
}

/** Checks several answers, like a body over HTTP. */
const listed =
  (answers: readonly CallAnswer[]) =>
  ({ read }: TakesAnswers): readonly SentAnswer[] =>
    read({ answers });

/**
 * Returns the function by which the app accepts answers. @throws ConfigurationError if no module brings one.
 */
function answeringOf(host: Pick<HttpHost, 'modules'>): TakesAnswers {
  const answers = appParts(host).find((part) => part.answers)?.answers;
  if (answers) return answers;
  throw new ConfigurationError(needsAnswers('An answer of a call'));
}

/** Returns the message options of a stream. */
function toSending(options: StreamOptions): MessageOptions {
  const { after: _, ...sending } = checked('session.stream', options);
  return sending;
}

/**
 * Checks a message like a body over HTTP, except for the keys of its context: the app's own code can set any
 * key.
 */
function toSent(at: Entered, message: string | readonly SentPart[], options: MessageOptions): SentMessage {
  mustBe('session.send', options);
  const { context, loopId, delaySeconds, idempotencyKey, whenBusy, pending, background = false } = options;
  mustBeOne('whenBusy', whenBusy, ['reject', 'queue', 'steer']);
  mustBeOne('pending', pending, ['decline']);
  const { agent } = at.target;
  const values = context instanceof ToolCallContext ? context.toJSON() : context;
  const checked = checkMessage(
    { fields: { message, context: values, loopId, delaySeconds }, files: [], problems: [] },
    {
      maxBodyBytes: at.host.maxBodyBytes,
      bodyContext: at.sentBy?.bodyContext,
      partsAt: at.sentBy?.partsAt,
      files: at.host.files && filesOfAgent(at, agent),
    },
  );
  return {
    ...checked,
    contextOfHeaders: at.sentBy?.contextOfHeaders,
    idempotencyKey,
    whenBusy: whenBusy === 'reject' ? undefined : whenBusy,
    declines: pending === 'decline',
    inBackground: background,
  };
}

function toAnswer<Output>(view: TurnView): SessionAnswer<Output> {
  return withArtifacts(view) as SessionAnswer<Output>; // the agent's own schema has validated the object
}
