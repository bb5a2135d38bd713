/** The client of the HTTP API, for pages, Node and other Workers. It needs only `fetch` and streams. */

import type { StoredEvent } from '../journal/events.ts';
import type { AnswerObject } from '../session/watching/turn-outcome.ts';
import type { Json } from '../tool/json.ts';
import type { CancelRequested } from '../worker/end-turn.ts';
import type { CallAnswer } from '../worker/session.ts';
import type { SessionView } from '../worker/session-view.ts';
import type {
  AnsweringOptions,
  Client,
  ClientCallAnswer,
  ClientOptions,
  ClientPart,
  ClientSendOptions,
  ClientSession,
} from './client-session.ts';
import { type ClientAnswer, follow, type StreamItem, type StreamRequests, type WatchItem } from './follow.ts';
import { HoldfastError } from './holdfast-error.ts';
import { createKey, createTransport, type RepeatableRequest, readJson, type Transport } from './transport.ts';

/** The type parameter of a client: an agent's type, or an object with the type of its output. */
export type ClientTypes = AgentTypes | { readonly output?: unknown };

/** The part of an agent's type that a client uses. */
interface AgentTypes {
  readonly name: string;
  readonly '~types'?: { readonly output: unknown };
}

type OutputOf<Of> = Of extends {
  readonly name: string;
  readonly '~types'?: { readonly output: infer Output };
}
  ? AnswerObject<Output>
  : Of extends { readonly output: infer Output }
    ? Output // the caller declares it as JSON
    : Json;
type NameOf<Of> = Of extends { readonly name: infer Name; readonly '~types'?: object } ? Name : string;

/**
 * Makes a client of one agent. Its answers have the types of the agent. Import only the agent's type:
 * `createClient<typeof clerk>`, or write it out: `createClient<{ output: Invoice }>`.
 *
 * @throws TypeError if the url or the name of the agent is invalid.
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'https://agents.example.com', agent: 'clerk', token: 'of-the-user' });
 * const session = client.session('s1');
 * for await (const item of session.stream('Please pay invoice INV-17.')) {
 *   if (item.type === 'text-delta') console.log(item.text);
 *   if (item.type === 'suspended') for (const call of item.answer.pending) await session.decide(call, 'approve');
 * }
 * ```
 */
export function createClient<Of extends ClientTypes = { readonly output: Json }>(
  options: ClientOptions<NameOf<Of>>,
): Client<OutputOf<Of>> {
  const transport = createTransport(options);
  const sessions = `/agents/${encodeSegment('agent', options.agent)}/sessions/`;
  const client: Client = {
    session: (id = createKey()) =>
      createSession(transport, { id, path: sessions + encodeSegment('session', id) }),
  };
  return client as Client<OutputOf<Of>>; // the server has validated the output by the schema of this type
}

/** Encodes a name as one path segment. Rejects `..`, which would leave the path. */
function encodeSegment(what: string, name: unknown): string {
  if (typeof name !== 'string' || /^\.{0,2}$/.test(name))
    throw new TypeError(`'${name}' is not a valid ${what} name. Use a string other than '', '.' and '..'.`);
  return encodeURIComponent(name);
}

interface SessionPlace {
  readonly id: string;
  readonly path: string;
}

function createSession(transport: Transport, { id, path }: SessionPlace): ClientSession {
  /** The last event that a stream has shown. After an answer to that turn, streaming resumes there. */
  let seen = { turn: '', seq: 0 };
  async function* streamTurn(
    first: RepeatableRequest,
    after = 0,
  ): AsyncGenerator<StreamItem, void, undefined> {
    const resume: StreamRequests['resume'] = (turn) =>
      turn === undefined ? first : { path: getTurnPath(turn) };
    for await (const item of follow({ transport, first, resume, after, signal: first.signal })) {
      if ('seq' in item && 'turn' in item) seen = { turn: item.turn, seq: item.seq };
      yield item;
    }
  }
  const getTurnPath = (turn: string): string => `${path}/turns/${encodeSegment('turn', turn)}`;
  const stream: ClientSession['stream'] = (message, options = {}) =>
    streamTurn(toMessage(`${path}/messages`, message, options));
  const streamAnswers: ClientSession['streamAnswers'] = (given, options = {}) => {
    const answers = given.map(toAnswer);
    const after = Math.max(
      ...answers.map(({ call }) => {
        const { turn, reply } = parseCallId(call);
        return turn !== '' && turn === seen.turn ? Math.max(reply, seen.seq) : reply;
      }),
      0,
    );
    return streamTurn(toPost(`${path}/answers?after=${after}`, { answers }, options), after);
  };
  const session: ClientSession = {
    id,
    ...createSessionReads(transport, path),
    stream,
    streamAnswers,
    send: async (message, options) => readLast(stream(message, options)),
    retry: async (options = {}) => readLast(streamTurn(toPost(`${path}/retry`, {}, options))),
    answer: async (answers, options) => readLast(streamAnswers(answers, options)),
    decide: (call, decision, options) =>
      session.answer([{ call, ...(typeof decision === 'string' ? { decision } : decision) }], options),
    result: (call, result, options) => session.answer([{ call, ...result }], options),
    follow: (turn, options = {}) => streamTurn({ path: getTurnPath(turn), ...options }),
    async turn(turn, { wait, ...options } = {}) {
      if (wait) return readLast(session.follow(turn, options));
      return transport
        .ask(
          { path: getTurnPath(turn), ...options },
          async (response) => (await readJson(response)) as ClientAnswer,
        )
        .catch(toFailureAnswer);
    },
    cancel: async (turn, options = {}) => {
      const named =
        turn === undefined ? NO_RETRIES : { path: `${path}/cancel?turn=${encodeURIComponent(turn)}` };
      const asked: RepeatableRequest = { method: 'POST', path: `${path}/cancel`, ...named, ...options };
      return (await transport.ask(asked, readJson)) as CancelRequested; // the server's own type
    },
    async fork({ name = createKey(), signal, ...options } = {}) {
      const asked = toPost(`${path}/fork`, { ...options, name }, { signal });
      await transport.ask(asked, readJson);
      const sessions = path.slice(0, path.lastIndexOf('/') + 1);
      return createSession(transport, { id: name, path: sessions + encodeSegment('session', name) });
    },
    deleteFile: (file, options = {}) =>
      transport.ask({ method: 'DELETE', path: getFilePath(path, file), ...options }, async () => {}),
    erase: (options = {}) =>
      transport.ask({ method: 'DELETE', path, ...NO_RETRIES, ...options }, async () => {}),
  };
  return session;
}

/** Not retried: a request without a turn could end a later turn. */
const NO_RETRIES = { retries: 0 } as const;

/** Creates the methods that only read a session. */
function createSessionReads(
  transport: Transport,
  path: string,
): Pick<ClientSession, 'state' | 'events' | 'watch' | 'file'> {
  let known: { readonly tag: string | null; readonly view: SessionView } | undefined;
  return {
    async state(options = {}) {
      const headers = known?.tag ? { 'if-none-match': known.tag } : {};
      return transport.ask({ path, headers, ...options }, async (response) => {
        if (response.status === 304 && known) return known.view;
        const view = (await readJson(response)) as SessionView; // the server's own type
        known = { tag: response.headers.get('etag'), view };
        return view;
      });
    },
    async *events({ after = 0, ...options } = {}) {
      for (let from: number | undefined = after; from !== undefined; ) {
        const asked: RepeatableRequest = { path: `${path}/events?after=${from}`, ...options };
        const page = (await transport.ask(asked, readJson)) as { events: StoredEvent[]; next: string | null };
        yield* page.events;
        from = page.next === null ? undefined : page.events.at(-1)?.seq;
      }
    },
    watch({ after = 0, ...options } = {}) {
      const first = { path: `${path}/events?after=${after}`, ...options };
      const items = follow({ transport, first, resume: () => first, after, signal: options.signal });
      return items as AsyncGenerator<WatchItem, void, undefined>; // a stream of a session does not report the end of a turn
    },
    file: async (file, options = {}) =>
      transport.ask({ path: getFilePath(path, file), ...options }, (response) => response.blob()),
  };
}

const getFilePath = (path: string, file: string | { readonly id: string }): string =>
  `${path}/files/${encodeSegment('file', typeof file === 'string' ? file : file.id)}`;

/** Returns the last item of a stream. @throws HoldfastError `session-erased` if the turn no longer exists. */
async function readLast(items: AsyncIterable<StreamItem>): Promise<ClientAnswer> {
  for await (const item of items) {
    if (item.type === 'answer' || item.type === 'suspended' || item.type === 'later') return item.answer;
  }
  throw new HoldfastError('session-erased', 'The session was erased.', { status: 410 });
}

/** Returns the answer in the problem of a failed turn. */
function toFailureAnswer(failure: unknown): ClientAnswer {
  if (failure instanceof HoldfastError && failure.more.outcome === 'failed')
    return failure.more as unknown as ClientAnswer; // the server's own type
  throw failure;
}

/**
 * Parses a call's id into its turn and the reply that requested it. After an answer, a stream resumes after
 * that reply. Matches the format in `src/journal/reply-data.ts`, which the client does not include.
 */
function parseCallId(id: string): { readonly turn: string; readonly reply: number } {
  const [, turn = '', reply = 0] = /^(.+)\.(\d+)\.\d+$/s.exec(id) ?? [];
  return { turn, reply: Number(reply) };
}

const toAnswer = ({ call, ...answer }: ClientCallAnswer): Pick<CallAnswer, 'call' | 'question'> =>
  typeof call === 'string' ? { call, ...answer } : { call: call.call, question: call.question, ...answer };

function toMessage(
  path: string,
  message: string | readonly ClientPart[],
  options: ClientSendOptions,
): RepeatableRequest {
  const { files = [], context, loopId, delaySeconds, whenBusy = 'reject', pending } = options;
  const query = new URLSearchParams({ whenBusy, ...(pending && { pending }) });
  const body = { message, context, loopId, delaySeconds };
  const asked = toPost(`${path}?${query}`, body, options);
  if (files.length === 0) return asked;
  if (typeof message !== 'string')
    throw new TypeError('`files` needs a text message. Put the files in the message parts.');
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (value !== undefined && value !== '')
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const [at, file] of files.entries()) {
    const isBlob = file instanceof Blob;
    const blob = isBlob ? file : new Blob([new Uint8Array(file.bytes)], { type: file.mediaType });
    form.append(
      `file${at}`,
      blob,
      file instanceof File ? file.name : isBlob ? 'file' : (file.name ?? 'file'),
    );
  }
  const { 'content-type': _, ...headers } = asked.headers ?? {};
  return { ...asked, headers, body: form };
}

function toPost(
  path: string,
  body: object,
  { idempotencyKey = createKey(), background, signal }: AnsweringOptions,
): RepeatableRequest {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
    ...(background && { prefer: 'respond-async' }),
  };
  return { method: 'POST', path, headers, body: JSON.stringify(body), signal };
}
