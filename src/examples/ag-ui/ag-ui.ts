/**
 * AG-UI 1.0 for `createHoldfast({ use: [agUi()] })`. It shows how to implement a protocol outside the
 * package.
 */

import type { Session, ShownEvent, TurnItem, TurnStream, TurnStreamEnd } from '../../create-holdfast.ts';
import { SessionError, type SessionView } from '../../create-holdfast.ts';
import type { JsonObject } from '../../index.ts';
import {
  defineModule,
  defineRoute,
  type FileUrls,
  fileUrlsOf,
  type ModuleRequest,
  type RouteProblem,
  type Tell,
  type Teller,
  tellerOf,
} from '../../module.ts';
import { callerWords, declareCallerWords } from '../../modules/caller-words/entry.ts';
import { declaredTools } from '../../modules/client-tools/entry.ts';
import { asBefore1 } from './before-1-0.ts';
import { type AgUiEvent, toFrame } from './events.ts';
import { type ShownResults, toHistory } from './history.ts';
import { type RunAction, RunInputError, readRunInput, toRunAction } from './run-input.ts';
import { type Run, type SessionItem, toAgUi, toContent } from './translate.ts';

const AG_UI = defineModule({ name: 'ag-ui' });

export interface AgUiConfig {
  /**
   * Rewrites problems for users. By default, short sentences replace the texts of providers, tools and the
   * Worker.
   */
  readonly tell?: Tell;
}

/**
 * Adds `POST /agents/{agent}/ag-ui`, to which `new HttpAgent({ url })` of `@ag-ui/client` connects. A thread
 * is a session.
 */
export function agUi({ tell }: AgUiConfig = {}) {
  const toTeller = tellerOf('agUi', tell);
  return AG_UI.use({
    declare: declareCallerWords,
    routes: [
      defineRoute({
        method: 'POST',
        path: '/agents/{agent}/ag-ui',
        isCounted: true,
        streams: true,
        handle: (asked, { agent }) => run(asked, agent, toTeller(asked.request)).catch(toResponse),
        refuse: (problem, request) => refuse(toTeller(request).problem(problem)),
      }),
    ],
  });
}

const refuse = ({ type, status, detail, headers, more }: RouteProblem): Response =>
  Response.json({ message: detail, code: type, ...more }, { status, headers });

/** Responds to an invalid request. `refuse` formats the refusals of a session. */
function toResponse(failure: unknown): Response {
  if (!(failure instanceof RunInputError)) throw failure;
  return Response.json({ message: failure.message, code: 'invalid-body' }, { status: 422 });
}

async function run(asked: ModuleRequest, agent: string, teller: Teller): Promise<Response> {
  const input = readRunInput(await asked.json());
  const { threadId, runId, tools } = input;
  const context = {
    ...(await callerWords(describeContext(input))),
    ...declaredTools(asked, { agent, tools }),
  };
  const session = asked.session({ agent, session: threadId, context });
  const before = await findState(session);
  const wanted = toRunAction(input, before?.pending ?? []);
  const files = fileUrlsOf(asked, { agent, session: threadId });
  const { items, ...shown } = await begin(
    { asked, session, before, files, teller, context: mergeContext(input, asked) },
    wanted,
  );
  const events = toAgUi(withState(session, before, items), { threadId, runId, files: files.url, ...shown });
  const version = input.protocolVersion === undefined ? asBefore1 : (event: AgUiEvent) => event;
  return asked.stream(() => streamFrames({ asked, teller }, events, version));
}

/** Yields the frames of a run. A run that breaks off ends with an error, which is also logged. */
async function* streamFrames(
  { asked, teller }: Pick<Thread, 'asked' | 'teller'>,
  events: AsyncIterable<AgUiEvent>,
  version: (event: AgUiEvent) => AgUiEvent,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const event of events) yield toFrame(version(event));
  } catch (failure) {
    const { type, detail } = teller.problem(asked.problem(failure));
    yield toFrame({ type: 'RUN_ERROR', message: detail, code: type });
    throw failure;
  }
}

/** Returns the state of the session, or `undefined` before its first message. */
const findState = (session: Session): Promise<SessionView | undefined> =>
  session.state().catch((failure) => {
    if (failure instanceof SessionError && failure.type === 'unknown-session') return undefined;
    throw failure;
  });

type RunInput = ReturnType<typeof readRunInput>;

/** Returns the context for tools: only the keys that the app lets clients set. */
const mergeContext = ({ context }: RunInput, { bodyContext }: ModuleRequest): JsonObject =>
  Object.fromEntries(
    context.flatMap(({ description, value }) => (bodyContext.has(description) ? [[description, value]] : [])),
  );

/** Returns the whole context as text, marked for the model as the caller's. */
const describeContext = ({ context }: RunInput): string =>
  context.map(({ description, value }) => `${description}: ${value}`).join('\n');

interface Thread {
  readonly asked: ModuleRequest;
  readonly session: Session;
  readonly before: SessionView | undefined;
  readonly context: JsonObject;
  readonly files: FileUrls;
  readonly teller: Teller;
}

/** The stream of a run, and the events of its turn that the client has seen before. */
interface StartedRun extends Pick<Run, 'turn' | 'past' | 'ranByClient'> {
  readonly items: AsyncIterable<TurnItem | SessionItem>;
}

/** Starts the requested run. Throws a refusal of the session before the stream starts. */
async function begin(thread: Thread, wanted: RunAction): Promise<StartedRun> {
  const { asked, session, before, context } = thread;
  const { signal } = asked;
  if (wanted.type === 'send') {
    const { id: idempotencyKey, parts, pending } = wanted;
    return toStartedRun(thread, await session.stream(parts, { idempotencyKey, context, pending, signal }));
  }
  const turn = before?.openTurn ?? before?.turn?.turn;
  const past = before && turn !== undefined ? await listPastEvents(thread, turn, before.seq) : [];
  const after = before?.seq;
  if (wanted.type === 'answer') {
    const ranByClient = wanted.answers.flatMap((one) => ('decision' in one ? [] : [one.call]));
    const stream = await session.streamAnswers(wanted.answers, { after, signal });
    return { ...toStartedRun(thread, stream), past, ranByClient };
  }
  const stream = turn === undefined ? undefined : await session.follow(turn, { after, signal });
  return { turn, items: streamWithHistory(thread, stream), past };
}

const toStartedRun = (thread: Thread, stream: TurnStream): StartedRun => ({
  turn: stream.turn,
  items: streamShownEvents(thread, stream),
});

/** Returns the items of a turn with texts for users and the URLs of its files. */
const streamShownEvents = ({ files, teller }: Thread, stream: TurnStream): AsyncIterable<TurnItem> =>
  files.items(teller.items(stream));

/** Returns the events of a turn up to a sequence number. */
async function listPastEvents(
  { session, files }: Thread,
  turn: string,
  until: number,
): Promise<ShownEvent[]> {
  const past: ShownEvent[] = [];
  for await (const event of files.items(session.events({ turn }))) {
    if (event.seq > until) break;
    past.push(event);
  }
  return past;
}

async function* streamWithHistory(
  thread: Thread,
  stream: TurnStream | undefined,
): AsyncGenerator<TurnItem | SessionItem, void, undefined> {
  const { before, files } = thread;
  const results = before ? await collectResults(thread) : NO_RESULTS;
  yield { type: 'history', messages: toHistory(before?.messages ?? [], files.url, results) };
  if (stream) yield* streamShownEvents(thread, stream);
}

/** Returns the results that clients see differently from the model. */
async function collectResults({ session, files, teller }: Thread): Promise<ShownResults> {
  const results = new Map<string, ReturnType<typeof toContent>>();
  // The user's messages can contain files, too.
  for await (const event of files.items(session.events())) {
    const shown = teller.item(event);
    if (shown.type === 'tool-call-ended') results.set(shown.call, toContent(shown.result, files.url));
  }
  return results;
}

const NO_RESULTS: ShownResults = new Map();

/** Yields the state of the session first, and again before the run ends. */
async function* withState(
  session: Session,
  before: SessionView | undefined,
  items: AsyncIterable<TurnItem | SessionItem>,
): AsyncGenerator<TurnItem | SessionItem, void, undefined> {
  yield { type: 'state', snapshot: toSnapshot(before) };
  for await (const item of items) {
    if (STOP_TYPES.includes(item.type))
      yield { type: 'state', snapshot: toSnapshot(await findState(session)) };
    yield item;
  }
}

const STOP_TYPES: readonly string[] = ['answer', 'suspended'] satisfies TurnStreamEnd['type'][];

const toSnapshot = (view: SessionView | undefined) => {
  const { blackboard = [], state = {}, memory = {} } = view ?? {};
  return { blackboard, state, memory };
};
