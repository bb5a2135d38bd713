/** Responses: handles their requests. */
import { declaredTools } from '../../modules/client-tools/declared.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import { joinTexts } from '../../tool/content.ts';
import { getOwn, isEqualJson, type JsonObject } from '../../tool/json.ts';
import { fileUrlsOf } from '../../worker/file-urls.ts';
import type { ModuleRequest, RouteAgent, RouteSession } from '../../worker/module-request.ts';
import { readIdempotencyKey } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { formatFrame } from '../../worker/sse.ts';
import type { createErrorWording, ErrorWording } from '../../worker/tell.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { readTurnSoFar, streamWholeTurn } from '../whole-turn.ts';
import { type CallerInstructions, readExtras, toExtrasContext } from './asked.ts';
import type { ResponseEvent } from './numbered-output.ts';
import { createInvalidValueError, createUnsupportedParameterError, toMessageContent } from './read-body.ts';
import { type CallAnswerItem, REPEATED_ANSWER_KEY } from './read-items.ts';
import {
  createMixedInputError,
  createResponseNotFoundError,
  type ResponseRequest,
  readResponseBody,
} from './read-response.ts';
import { CONTEXT_KEYS, OpenAiError, toError, toErrorBody } from './refuse.ts';
import { type ResponseTarget, toResponseEvents } from './response-events.ts';
import { echoExtras, getTurnId, type NamedObject, readId } from './response-object.ts';
import type { EchoedFields, RequestedFormat } from './response-types.ts';

/** The configuration of the surface. */
export interface OpenAiSurface {
  readonly mode: CallerInstructions;
  /** The names of agents, by the model names that clients send. */
  readonly models: Readonly<Record<string, string>>;
  readonly tellerOf: ReturnType<typeof createErrorWording>;
}

/** Returns the body of a request, with `model` replaced by the name of its agent, if there is one. */
export async function readRequestBody(asked: ModuleRequest, { models }: OpenAiSurface): Promise<JsonObject> {
  const body = await asked.json();
  return { ...body, model: getOwn(models, String(body.model)) ?? body.model ?? null };
}

/** Handles a request for a response. Returns the response or the stream of its events. */
export async function createResponse(asked: ModuleRequest, surface: OpenAiSurface): Promise<Response> {
  const body = readResponseBody(await readRequestBody(asked, surface), asked.agents, surface.mode);
  const context = {
    ...(await toExtrasContext(body.asked)),
    ...declaredTools(asked, { agent: body.agent.name, tools: body.functions }),
  };
  const { retryStream, ...of } = await findMessageSession(asked, { body, context });
  const reader = createResponseReader(asked, of, surface);
  const session = asked.session({ ...of, contextKeys: CONTEXT_KEYS });
  const begun = await startOrResume(asked, session, { body, context, retryStream });
  const { turn, stream, part } = begun;
  const wanted = { ...of, turn, part, echoed: toEchoedFields(body), now: Date.now() };
  const items = stream
    ? streamWholeTurn(session, stream, asked.signal)
    : body.isStream
      ? await followWholeTurn(asked, session, turn)
      : readTurnSoFar(session, turn);
  return (body.isStream ? respondWithStream : respondWhole)(reader, items, wanted);
}

/** The request fields that a response repeats. */
type EchoSource = Pick<ResponseRequest, 'asked' | 'metadata' | 'previousId' | 'inBackground'> & {
  readonly agent: Pick<RouteAgent, 'name'>;
};

const toEchoedFields = ({ agent, asked, metadata, previousId, inBackground }: EchoSource): EchoedFields => ({
  ...echoExtras(asked),
  model: agent.name,
  metadata,
  previous_response_id: previousId,
  background: inBackground,
});

interface MessageSession extends RouteSession, Pick<TurnRequest, 'retryStream'> {}

/** Returns the session that the ids of a request refer to, or a new one. */
async function findMessageSession(
  asked: ModuleRequest,
  { body, context }: TurnRequest,
): Promise<MessageSession> {
  const { agent, input, previous, conversation, inBackground } = body;
  if (input.type === 'answers') return getAnsweredSession(body, input.answers);
  const named = conversation === undefined ? (previous ?? input.behind) : undefined;
  const of = named
    ? checkSameAgent(named, body)
    : conversation && { agent: agent.name, session: conversation };
  if (of) {
    const session = asked.session({ ...of, contextKeys: CONTEXT_KEYS });
    const behind = named && getTurnId(named);
    // The turn must exist, because a message to an unknown session would create it.
    if (behind !== undefined) await session.turn(behind);
    const { parts } = input;
    const retryStream = inBackground
      ? undefined
      : await asked.parts.retry?.(session, { asked, parts, behind, context });
    if (retryStream || behind === undefined) return { ...of, retryStream };
    // Continue after an older response.
    const forked = await asked.parts.forkBehind?.(session, {
      turn: behind,
      message: joinTexts(parts),
      request: asked.request,
      name: await createSessionId(asked, agent.name),
    });
    return forked === undefined ? of : { ...of, session: forked };
  }
  if (input.isContinued) {
    throw new OpenAiError(
      "The input contains no assistant message of this server. Send 'previous_response_id' or 'conversation'.",
      { param: 'input', code: 'unknown_conversation' },
    );
  }
  return { agent: agent.name, session: await createSessionId(asked, agent.name) };
}

/**
 * @throws OpenAiError if the answers belong to several sessions, or not to the session that the request
 * names. `at`: their path in the body.
 */
export function getAnsweredSession(
  body: Pick<ResponseRequest, 'agent' | 'conversation'> & Partial<Pick<ResponseRequest, 'previous'>>,
  answers: readonly CallAnswerItem[],
  at = 'input',
): RouteSession {
  const [first] = answers;
  if (!first) throw createInvalidValueError(at, 'a list with answers');
  const of = checkSameAgent(first.of, body);
  const { previous, conversation = previous?.session } = body;
  const isSame = (session: string): boolean => session === of.session;
  if (!answers.every(({ of: { agent, session } }) => agent === of.agent && isSame(session))) {
    throw createInvalidValueError(at, 'a list with answers of one session');
  }
  if (conversation !== undefined && !isSame(conversation)) {
    throw createInvalidValueError(
      previous ? 'previous_response_id' : 'conversation',
      'the session of the answers',
    );
  }
  return of;
}

function checkSameAgent({ agent, session }: NamedObject, body: Pick<ResponseRequest, 'agent'>): RouteSession {
  if (agent === body.agent.name) return { agent, session };
  throw new OpenAiError(`This session belongs to the model '${agent.slice(0, 64)}'.`, {
    param: 'model',
    code: 'invalid_value',
  });
}

/**
 * Returns the id of a new session. A retry with the same idempotency key finds the session of the first
 * request. The key belongs to one person, even if a tenant shares its sessions.
 */
export async function createSessionId({ request, caller }: ModuleRequest, agent: string): Promise<string> {
  const key = readIdempotencyKey(request);
  if (key === undefined) return crypto.randomUUID();
  return `key-${(await computeSha256Hex(JSON.stringify([caller.id, agent, key]))).slice(0, 32)}`;
}

/** A turn that a request began or resumed. */
interface RunningTurn {
  readonly turn: string;
  readonly part: ResponseTarget['part'];
  /** Absent if the turn runs in the background. */
  readonly stream?: TurnStream;
}

/** A request that begins or resumes a turn. */
interface TurnRequest {
  readonly body: ResponseRequest;
  /** The request's additions to its message. */
  readonly context: JsonObject;
  /** The stream of the retry that the message began. */
  readonly retryStream?: TurnStream | undefined;
}

async function startOrResume(
  asked: ModuleRequest,
  session: Session,
  { body: { input, asked: wanted, inBackground }, context, retryStream }: TurnRequest,
): Promise<RunningTurn> {
  const idempotencyKey =
    readIdempotencyKey(asked.request) ?? (input.type === 'answers' ? REPEATED_ANSWER_KEY : undefined);
  const { signal } = asked;
  if (input.type === 'message') {
    if ((await selectWaitingAnswers(session, input.answered)).length > 0) throw createMixedInputError();
    const said = toMessageContent(input.parts);
    const sending = { idempotencyKey, context };
    if (inBackground) {
      const { turn } = await session.send(said, { ...sending, background: true });
      return { turn, part: 0 };
    }
    const stream = retryStream ?? (await session.stream(said, { ...sending, signal }));
    return { turn: stream.turn, part: 0, stream };
  }
  await assertAnswerFormat(session, input.answers, { format: wanted.format, at: 'text.format' });
  const given = [...(await selectWaitingAnswers(session, input.earlier)), ...input.answers];
  const answers = given.map(({ answer }) => answer);
  const part = { answered: new Map(given.map(({ of }) => [of.what, of.place])) };
  if (inBackground) {
    const { turn } = await session.answer(answers, { idempotencyKey, background: true });
    return { turn, part };
  }
  const stream = await session.streamAnswers(answers, { idempotencyKey, after: 0, signal });
  return { turn: stream.turn, part, stream };
}

/**
 * @throws OpenAiError if a request that resumes a turn sets another answer form than the one that began it.
 */
export async function assertAnswerFormat(
  session: Session,
  [first]: readonly CallAnswerItem[],
  { format, at }: { readonly format: RequestedFormat | undefined; readonly at: string },
): Promise<void> {
  if (!format || !first) return;
  for await (const event of session.events({ turn: getTurnId(first.of) })) {
    if (event.type !== 'turn-started') continue;
    const begun = readExtras(event.context)?.format;
    if (begun && isEqualJson({ ...begun }, { ...format })) return;
    throw createUnsupportedParameterError(at, 'the turn of these answers began with another format.');
  }
}

/** Returns the answers whose questions still wait. All belong to one turn. */
async function selectWaitingAnswers(
  session: Session,
  answers: readonly CallAnswerItem[],
): Promise<readonly CallAnswerItem[]> {
  const [first] = answers;
  if (!first) return [];
  const { pending = [] } = { pending: undefined, ...(await session.turn(getTurnId(first.of))) };
  const waiting = new Map(pending.map((one) => [one.call, one.question]));
  return answers.filter(({ of }) => waiting.get(of.what) === of.place);
}

/** Returns the stream of a response's events. */
function respondWithStream(
  reader: ResponseReader,
  items: AsyncIterable<TurnItem>,
  wanted: ResponseSelection,
): Response {
  return reader.asked.stream(() => yieldFrames(reader, reader.events(items, wanted)));
}

/** The response to show, independent of its reader. */
type ResponseSelection = Omit<ResponseTarget, 'fileUrl'>;

interface ResponseReader {
  readonly asked: ModuleRequest;
  readonly teller: ErrorWording;
  /** Yields the events of a response. Errors have their texts for users, and files their URLs. */
  events(items: AsyncIterable<TurnItem>, wanted: ResponseSelection): AsyncIterable<ResponseEvent>;
}

function createResponseReader(
  asked: ModuleRequest,
  of: RouteSession,
  { tellerOf }: OpenAiSurface,
): ResponseReader {
  const teller = tellerOf(asked.request);
  const { items: withFiles, url: fileUrl } = fileUrlsOf(asked, of);
  return {
    asked,
    teller,
    events: (items, wanted) => toResponseEvents(withFiles(teller.items(items)), { ...wanted, fileUrl }),
  };
}

/**
 * Yields the events as frames. A broken stream ends with an error event and a log line. The client can then
 * request the events after the last number.
 */
async function* yieldFrames(
  { asked, teller }: ResponseReader,
  events: AsyncIterable<ResponseEvent>,
): AsyncGenerator<string, void, undefined> {
  let last = 0;
  try {
    for await (const event of events) {
      last = event.sequence_number;
      yield formatFrame(event.type, event);
    }
  } catch (failure) {
    const { type, detail: message } = teller.problem(asked.problem(failure));
    const code = type.replaceAll('-', '_');
    const broken: ResponseEvent = { type: 'error', code, message, param: null, sequence_number: last };
    yield formatFrame(broken.type, broken);
    throw failure;
  }
}

/** Returns a response when its items end. */
async function respondWhole(
  reader: ResponseReader,
  items: AsyncIterable<TurnItem>,
  wanted: ResponseSelection,
): Promise<Response> {
  let last: ResponseEvent | undefined;
  for await (const event of reader.events(items, wanted)) last = event;
  if (last && 'response' in last) return Response.json(last.response);
  const { message, code } = last?.type === 'error' ? last : { message: 'There is no response.', code: null };
  return toError(410, toErrorBody({ message, param: null, code }), true);
}

/** Returns an existing response: its current state, or its events after a number. */
export async function getResponse(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<Response> {
  const { session, wanted, reader } = findResponse(asked, id, surface);
  const query = new URL(asked.request.url).searchParams;
  if (query.get('stream') !== 'true')
    return respondWhole(reader, readTurnSoFar(session, wanted.turn), wanted);
  const after = query.get('starting_after');
  if (after !== null && !/^\d{1,16}$/.test(after)) {
    throw createInvalidValueError('starting_after', 'the sequence_number of an event');
  }
  const items = await followWholeTurn(asked, session, wanted.turn);
  return respondWithStream(reader, items, { ...wanted, after: Number(after ?? 0) });
}

/** Returns the items of a turn from its beginning, even while it runs in another invocation. */
const followWholeTurn = async ({ signal }: ModuleRequest, session: Session, turn: string) =>
  streamWholeTurn(session, await session.follow(turn, { signal }), signal);

/** Cancels the turn of a response and returns the result. Returns a response that has ended unchanged. */
export async function cancelResponse(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<Response> {
  const { session, wanted, reader } = findResponse(asked, id, surface);
  const { turn } = wanted;
  try {
    await session.cancel(turn);
  } catch (failure) {
    if (!TURN_OVER_TYPES.has(asked.problem(failure).type)) throw failure;
  }
  return respondWhole(reader, await followWholeTurn(asked, session, turn), wanted);
}

const TURN_OVER_TYPES: ReadonlySet<string> = new Set(['turn-over', 'no-open-turn']);

interface FoundResponse {
  readonly session: Session;
  readonly wanted: ResponseSelection;
  readonly reader: ResponseReader;
}

function findResponse(asked: ModuleRequest, id: string, surface: OpenAiSurface): FoundResponse {
  const named = readId(id, ['resp']);
  if (!named) throw createResponseNotFoundError(id, null);
  const { agent, session, what: turn, place: part } = named;
  const echoed = toEchoedFields({
    agent: { name: agent },
    asked: {},
    metadata: {},
    previousId: null,
    inBackground: false,
  });
  const of = { agent, session };
  const wanted = { ...of, turn, part, echoed, now: Date.now() };
  return { session: asked.session(of), wanted, reader: createResponseReader(asked, of, surface) };
}
