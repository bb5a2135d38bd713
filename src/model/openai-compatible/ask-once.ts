import {
  type ExplainedFailure,
  type OpenAttempt,
  type SilenceTimer,
  waitOrRelease,
} from '../ask-patiently.ts';
import { MAX_REPLY_BYTES, MAX_STREAM_BYTES, readEvents, readText } from '../chat-completions/read-stream.ts';
import { createReplyAssembly, type ReplyAssembly } from '../chat-completions/reply-assembly.ts';
import { ModelError, type ModelReply } from '../chat-model.ts';
import { parseRetryAfter } from '../retry.ts';
import { createStatusError, getErrorDetails, getErrorWords, isCreditExhausted } from '../server-error.ts';
import { parseJson } from '../untrusted-json.ts';
import {
  createInvalidReplyError,
  createTruncatedReplyError,
  isJsonObjectText,
  parseReply,
} from '../untrusted-reply.ts';

/** A function with the signature of `fetch`: a service binding, a proxy or a test double. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** The URL and headers of a server, the same for every call of an adapter. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Headers;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/**
 * Sends one request and reads the response.
 *
 * @throws ModelError if there is no complete reply. Its message can still contain secrets.
 */
export const askOnce = async (
  endpoint: Endpoint,
  body: string | Uint8Array<ArrayBuffer>,
  attempt: OpenAttempt,
): Promise<ModelReply> => {
  const response = await send(endpoint, body, attempt);
  if (response.ok) return readReply(response, attempt);
  const retryAfter = parseRetryAfter(response.headers, endpoint.now());
  throw attempt.fail(await readResponseError(response, attempt.patience, retryAfter));
};

const send = (
  endpoint: Endpoint,
  body: string | Uint8Array<ArrayBuffer>,
  { patience, signal }: OpenAttempt,
): Promise<Response> => {
  // A redirect would send the key to a URL that is not configured.
  const request: RequestInit = {
    method: 'POST',
    headers: endpoint.headers,
    body,
    signal,
    redirect: 'manual',
  };
  return waitOrRelease(patience, () => endpoint.fetch(endpoint.url, request), {
    broken: createUnreachableError,
    release: ({ body: late }) => late?.cancel(),
  });
};

const createUnreachableError = (error: unknown): ModelError =>
  new ModelError(
    'unreachable',
    `The model's server could not be reached: ${error instanceof Error ? error.message : 'no reason given'}`,
  );

/**
 * Reads the response, an event stream or one JSON body, and forwards its text as it arrives. Always reads the
 * body to its end or cancels it.
 *
 * @throws ModelError if there is no complete reply.
 */
const readReply = async (response: Response, attempt: OpenAttempt): Promise<ModelReply> => {
  const { patience } = attempt;
  const assembly = createReplyAssembly(attempt);
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const maxBytes = isJson(type) ? MAX_REPLY_BYTES : MAX_STREAM_BYTES;
  const body = await readStart(readText(response.body, { patience, maxBytes }));
  if (isEventStream(type, body.start)) {
    const done = await readEvents(body.pieces, patience, {
      take: (data) => assembly.addChunk(parseBody(data)),
      get finished() {
        return assembly.finished;
      },
    });
    if (!assembly.finished) finishReply(assembly, done);
  } else {
    let text = '';
    for await (const piece of body.pieces) text += piece;
    assembly.addCompletion(parseBody(text));
  }
  patience.check();
  return assembly.reply();
};

/** A body, starting with its first piece that is not only white space. */
interface StartedBody {
  readonly start: string;
  readonly pieces: AsyncIterable<string>;
}

/**
 * Reads a body up to its first content and drops leading white space. Each piece is read once.
 *
 * @throws ModelError `invalid-reply` for more than 16 KiB of white space.
 */
const readStart = async (pieces: AsyncGenerator<string, void, undefined>): Promise<StartedBody> => {
  let start = '';
  for (let blank = 0; start === ''; ) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = value.trimStart();
    blank += value.length - start.length;
    if (blank > MAX_BLANK_CHARACTERS) {
      await pieces.return();
      throw createInvalidReplyError(
        `begins with more than ${MAX_BLANK_CHARACTERS} characters of white space.`,
      );
    }
  }
  const streamAll = async function* () {
    try {
      yield start;
      yield* pieces;
    } finally {
      await pieces.return();
    }
  };
  return { start, pieces: streamAll() };
};

/** The maximum length of leading white space. Some servers send line ends to keep a connection open. */
const MAX_BLANK_CHARACTERS = 16 * 1024;

const isJson = (type: string): boolean => type.endsWith('json');

/**
 * Returns whether the body is an event stream. A server can respond with either form, even though a stream
 * was requested. The content type decides. Without one, the body must begin with an event field or a comment.
 */
const isEventStream = (type: string, start: string): boolean =>
  !isJson(type) && type !== 'text/html' && /^(?:[deir:]|$)/.test(start);

const parseBody = (text: string): unknown => parseReply(text, ' Is the base URL right?');

/**
 * Ends a reply without a finish reason. Some servers only send `[DONE]`. So do some gateways after an
 * upstream failure, but then the reply is empty or has an incomplete call.
 *
 * @throws ModelError `truncated` if the reply was cut off.
 */
const finishReply = (assembly: ReplyAssembly, done: boolean): void => {
  if (!done) throw createTruncatedReplyError();
  assembly.addChunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  const { text, toolCalls } = assembly.reply();
  const isWhole = toolCalls.every(({ input }) => input.trim() === '' || isJsonObjectText(input));
  if (!isWhole || (text === '' && toolCalls.length === 0)) throw createTruncatedReplyError();
};

/**
 * Explains a response whose status is not 2xx. Reads and closes the body. `retryAfter` is the wait in its
 * headers.
 *
 * @throws ModelError `aborted` if the signal aborts in the meantime.
 */
const readResponseError = async (
  response: Response,
  patience: SilenceTimer,
  retryAfter: number | undefined,
): Promise<ExplainedFailure> => {
  const body = await readBody(response, patience);
  const report = parseJson(body);
  // An HTML page of a proxy is of no use in an error, so it is left out.
  const words = getErrorWords(report ?? (body.trimStart().startsWith('<') ? '' : body));
  const wait = isCreditExhausted(report) ? Infinity : retryAfter;
  const error = createStatusError(response.status, {
    words,
    details: getErrorDetails(report),
    retryAfter: wait,
  });
  return { error, retryAfter: wait };
};

const readBody = async (response: Response, patience: SilenceTimer): Promise<string> => {
  let text = '';
  try {
    for await (const piece of readText(response.body, { patience, maxBytes: MAX_ERROR_BYTES })) text += piece;
  } catch (error) {
    // A late, broken or endless body must not hide the status. An abort must.
    if (!(error instanceof ModelError) || error.failure === 'aborted') throw error;
  }
  return text;
};

const MAX_ERROR_BYTES = 64 * 1024;
