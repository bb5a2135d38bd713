/** A session for the app's code, with the functions of the HTTP routes. */
import type { SentAnswer } from '../journal/asking.ts';
import { formatMissingAnswersModuleMessage } from '../loop/running-call.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { createItemHandler } from '../session/live-feed.ts';
import { CALL_ORIGINS } from '../tool/call-origin.ts';
import { withArtifacts } from '../tool/kept-values.ts';
import { describeValue } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { AnswerAcceptor } from './answering.ts';
import type { SentPart } from './app-files.ts';
import { collectAppParts } from './app-seam.ts';
import { findCallerProblem } from './auth.ts';
import { type AcceptedRequest, awaitView, createFollower } from './begun-turn.ts';
import { checkMessage } from './body.ts';
import type { CodeHost } from './code-host.ts';
import { cancelTurn, eraseSession } from './end-turn.ts';
import type { Env, InvokedHost } from './host.ts';
import { toSessionError } from './refusal.ts';
import { createInvalidSequenceError } from './request-headers.ts';
import type { HttpHost } from './route.ts';
import { type SentMessage, sendMessage } from './send-message.ts';
import {
  type AnswerOptions,
  type AnswersOptions,
  assertOneOf,
  assertOptions,
  type CallAnswer,
  checkOptions,
  type MessageOptions,
  type Session,
  type SessionAnswer,
  type SessionOptions,
  type StreamOptions,
  type TurnStream,
} from './session.ts';
import { readJournalEvents, readSessionView, readTurnView } from './session-view.ts';
import { createTarget, findAgentFiles, type SessionAccess, toInvokedHost } from './target.ts';
import { createTurnFeed } from './turn-feed.ts';
import { ANSWERING_APP } from './turn-response.ts';
import type { TurnView } from './turn-view.ts';

/**
 * Creates a session for the app's code. @throws ConfigurationError if the options or the principal are
 * invalid.
 */
export function createSessionFromCode<Output>(
  app: CodeHost,
  env: Env,
  options: SessionOptions<Output>,
): Session<Output> {
  const door = createSessionOpener(app, env, options);
  const awaitTurnAnswer = (begin: TurnStarter, waiting: WaitOptions): Promise<SessionAnswer<Output>> =>
    keepAlive(app, awaitAnswer(door, begin, waiting));
  const answerOne = (
    sent: Omit<SentAnswer, 'question'>,
    options: AnswerOptions,
  ): Promise<SessionAnswer<Output>> =>
    awaitTurnAnswer(async (at) => {
      const { question = 1, ...how } = checkOptions(
        `session.${sent.for === 'decision' ? 'decide' : 'result'}`,
        options,
      );
      return sendAnswers(at, () => [{ ...sent, question }], how);
    }, options);
  const show = (begin: TurnStarter, { after, signal }: ReadOptions): Promise<TurnStream> =>
    keepAlive(app, openTurnStream(door, begin, { after, signal }));
  const session: Session<Output> = {
    send: (message, sending = {}) =>
      awaitTurnAnswer(async (at) => sendMessage(at, toSentMessage(at, message, sending)), sending),
    decide(call, decision, answered = {}) {
      const body = typeof decision === 'string' ? { decision } : { ...decision };
      return answerOne({ for: 'decision', call, body }, answered);
    },
    result: (call, result, answered = {}) =>
      answerOne({ for: 'result', call, body: { ...result } }, answered),
    answer: (answers, answered = {}) =>
      awaitTurnAnswer(
        async (at) => sendAnswers(at, toAnswersReader(answers), checkOptions('session.answer', answered)),
        answered,
      ),
    stream: (message, streaming = {}) =>
      show(async (at) => sendMessage(at, toSentMessage(at, message, toMessageOptions(streaming))), streaming),
    streamAnswers: (answers, streaming = {}) =>
      show(
        async (at) =>
          sendAnswers(at, toAnswersReader(answers), checkOptions('session.streamAnswers', streaming)),
        streaming,
      ),
    follow: (id, following = {}) => show((at) => loadTurn(at, id), checkOptions('session.follow', following)),
    turn: (id) =>
      withSessionErrors(door.enter().then(async (at) => toSessionAnswer<Output>(await readTurnView(at, id)))),
    state: () => withSessionErrors(door.enter().then(async (at) => (await readSessionView(at)).view)),
    async *events(wanted = {}) {
      try {
        assertOptions('session.events', wanted);
        yield* readJournalEvents(await door.enter(wanted.signal), wanted);
      } catch (failure) {
        throw toSessionError(failure) ?? failure;
      }
    },
    cancel: (turn) =>
      keepAlive(
        app,
        door.enter().then((at) => cancelTurn(at, turn)),
      ),
    erase: () => keepAlive(app, door.erase()),
  };
  OPENERS.set(session, { app, door });
  return session;
}

/** The access to the session of each `sessionOf` object. */
const OPENERS = new WeakMap<object, { readonly app: CodeHost; readonly door: SessionOpener }>();

/** Runs work in a session from `sessionOf`: for functions of modules that receive such a session. */
export function runInSession<T>(session: object, work: (at: OpenedSession) => Promise<T>): Promise<T> {
  const found = OPENERS.get(session);
  if (!found) throw new TypeError(`${describeValue(session)} is not a session. Use the result of sessionOf.`);
  return keepAlive(found.app, found.door.enter().then(work));
}

/** The access to one session, on behalf of a principal. */
interface SessionOpener {
  /**
   * Opens the session, with a new counter of this invocation's usage. `signal` aborts when the caller no
   * longer waits.
   */
  enter(signal?: AbortSignal): Promise<OpenedSession>;
  erase(): Promise<void>;
}

function createSessionOpener(
  { host, waitUntil, sentBy }: CodeHost,
  env: Env,
  options: SessionOptions,
): SessionOpener {
  const { named, caller, request } = parseSessionOptions(options);
  const createInvokedHost = (): HttpHost & InvokedHost => toInvokedHost(host, env, { waitUntil });
  return {
    async enter(signal = new AbortController().signal) {
      const app = { host: createInvokedHost(), env, base: host.basePath };
      const origin = CALL_ORIGINS.originOf(env);
      return { ...app, sentBy, origin, request, signal, target: createTarget(app, caller, named) };
    },
    erase: async () => eraseSession({ host: createInvokedHost(), env, base: host.basePath, caller }, named),
  };
}

/** @throws ConfigurationError if an option is invalid. */
function parseSessionOptions(options: SessionOptions) {
  assertOptions('sessionOf', options);
  const { agent, session, principal: caller, request } = options;
  const name: unknown = typeof agent === 'string' ? agent : Object(agent).name;
  if (typeof name !== 'string') {
    const use = "Use one of the app's agents, or its name";
    throw new ConfigurationError(`sessionOf has ${describeValue(agent)} as its 'agent'. ${use}.`);
  }
  const problem = findCallerProblem(Object(caller));
  if (problem !== undefined) throw new ConfigurationError(`sessionOf received a principal ${problem}.`);
  return { named: { agent: name, session }, caller, request };
}

/** Keeps the invocation alive until the work is done, even if the calling code does not wait. */
function keepAlive<T>({ waitUntil }: CodeHost, work: Promise<T>): Promise<T> {
  waitUntil(work.catch(() => {}));
  return withSessionErrors(work);
}

type TurnStarter = (at: OpenedSession) => Promise<AcceptedRequest>;
type WaitOptions = Pick<MessageOptions, 'signal' | 'onEvent'>;

async function awaitAnswer<Output>(
  { enter }: SessionOpener,
  begin: TurnStarter,
  { signal, onEvent }: WaitOptions,
): Promise<SessionAnswer<Output>> {
  const at = await enter(signal);
  const follower = onEvent && createFollower(at.signal, createItemHandler(at.host, onEvent));
  return toSessionAnswer(await awaitView(at, await begin(at), follower));
}

type ReadOptions = Pick<StreamOptions, 'after' | 'signal'>;

/** Opens the stream of a turn. Resolves once the turn has started. */
async function openTurnStream(
  { enter }: SessionOpener,
  begin: TurnStarter,
  { after, signal }: ReadOptions,
): Promise<TurnStream> {
  if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) throw createInvalidSequenceError();
  const at = await enter(signal);
  const begun = await begin(at);
  const items = createTurnFeed(at, begun, {
    after: after ?? (begun.later ? undefined : begun.askedAt),
    signal: at.signal,
  });
  const isJoined = begun.later !== undefined || begun.run === undefined;
  return { turn: begun.turn ?? begun.later.turn, isJoined, [Symbol.asyncIterator]: () => items };
}

/** Returns a turn that has, or will have, its own events. @throws SessionError if it does not exist. */
async function loadTurn(at: OpenedSession, id: string): Promise<AcceptedRequest> {
  const view = await readTurnView(at, id);
  return 'status' in view && view.status === 'steered' ? { later: view } : { turn: id };
}

/** A session opened by code. */
export interface OpenedSession extends SessionAccess {
  readonly host: HttpHost & InvokedHost;
  readonly sentBy: CodeHost['sentBy'];
}

/** Converts failures with an HTTP problem to a SessionError, and rethrows others unchanged. */
const withSessionErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((failure) => {
    throw toSessionError(failure) ?? failure;
  });

/** Sends answers as their routes do. @throws ConfigurationError if no module accepts answers. */
async function sendAnswers(
  at: OpenedSession,
  sent: (takes: AnswerAcceptor) => readonly SentAnswer[],
  { idempotencyKey, background = false }: AnswersOptions,
): Promise<AcceptedRequest> {
  const takes = getAnswerAcceptor(at.host);
  const how = { idempotencyKey, inBackground: background };
  return takes.accept({ app: ANSWERING_APP, at }, sent(takes), how);
}

/** Checks several answers in the same way as a body over HTTP. */
const toAnswersReader =
  (answers: readonly CallAnswer[]) =>
  ({ read }: AnswerAcceptor): readonly SentAnswer[] =>
    read({ answers });

/**
 * Returns the functions with which the app accepts answers. @throws ConfigurationError if no module provides
 * them.
 */
function getAnswerAcceptor(host: Pick<HttpHost, 'modules'>): AnswerAcceptor {
  const answers = collectAppParts(host).find((part) => part.answers)?.answers;
  if (answers) return answers;
  throw new ConfigurationError(formatMissingAnswersModuleMessage('An answer to a call'));
}

function toMessageOptions(options: StreamOptions): MessageOptions {
  const { after: _, ...sending } = checkOptions('session.stream', options);
  return sending;
}

/**
 * Checks a message in the same way as a body over HTTP, except that the app's code can set any context key.
 */
function toSentMessage(
  at: OpenedSession,
  message: string | readonly SentPart[],
  options: MessageOptions,
): SentMessage {
  assertOptions('session.send', options);
  const { context, loopId, delaySeconds, idempotencyKey, whenBusy, pending, background = false } = options;
  assertOneOf('whenBusy', whenBusy, ['reject', 'queue', 'steer']);
  assertOneOf('pending', pending, ['decline']);
  const { agent } = at.target;
  const values = context instanceof ToolCallContext ? context.toJSON() : context;
  const checked = checkMessage(
    { fields: { message, context: values, loopId, delaySeconds }, files: [], problems: [] },
    {
      maxBodyBytes: at.host.maxBodyBytes,
      bodyContext: at.sentBy?.bodyContext,
      partsAt: at.sentBy?.partsAt,
      files: at.host.files && findAgentFiles(at, agent),
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

function toSessionAnswer<Output>(view: TurnView): SessionAnswer<Output> {
  return withArtifacts(view) as SessionAnswer<Output>; // the agent's schema has validated `object`
}
