import { type ExplainedFailure, type OpenAttempt, type Patience, waitOrRelease } from '../ask-patiently.ts';
import { MAX_REPLY_BYTES, MAX_STREAM_BYTES, readEvents, readText } from '../chat-completions/read-stream.ts';
import { createReplyAssembly, type ReplyAssembly } from '../chat-completions/reply-assembly.ts';
import { ModelError, type ModelReply } from '../chat-model.ts';
import { parseRetryAfter } from '../retry.ts';
import { errorDetails, errorOfStatus, errorWords, isUsedUp } from '../server-error.ts';
import { parseJson } from '../untrusted-json.ts';
import { cutShort, invalidReply, isJsonObjectText, parseReply } from '../untrusted-reply.ts';

/** Anything that answers as `fetch` does: a service binding, a proxy, a test. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** The place to ask, which is the same for every ask of an adapter. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Headers;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/**
 * Sends one ask and reads its answer.
 *
 * @throws ModelError whenever there is no complete reply; its message may still hold secrets.
 */
export const askOnce = async (
  endpoint: Endpoint,
  body: string | Uint8Array<ArrayBuffer>,
  attempt: OpenAttempt,
): Promise<ModelReply> => {
  const response = await send(endpoint, body, attempt);
  if (response.ok) return readReply(response, attempt);
  const retryAfter = parseRetryAfter(response.headers, endpoint.now());
  throw attempt.fail(await errorOfResponse(response, attempt.patience, retryAfter));
};

const send = (
  endpoint: Endpoint,
  body: string | Uint8Array<ArrayBuffer>,
  { patience, signal }: OpenAttempt,
): Promise<Response> => {
  // A redirect would carry the key to an address that nobody configured.
  const request: RequestInit = {
    method: 'POST',
    headers: endpoint.headers,
    body,
    signal,
    redirect: 'manual',
  };
  return waitOrRelease(patience, () => endpoint.fetch(endpoint.url, request), {
    broken: unreachable,
    release: ({ body: late }) => late?.cancel(),
  });
};

const unreachable = (error: unknown): ModelError =>
  new ModelError(
    'unreachable',
    `The model's server could not be reached: ${error instanceof Error ? error.message : 'no reason given'}`,
  );

/**
 * Reads the answer to an ask, an event stream or one JSON body, and hands on what it says as it arrives. The body is read to
 * its end or cancelled.
 *
 * @throws ModelError whenever there is no complete reply.
 */
const readReply = async (response: Response, attempt: OpenAttempt): Promise<ModelReply> => {
  const { patience } = attempt;
  const assembly = createReplyAssembly(attempt);
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const maxBytes = isJson(type) ? MAX_REPLY_BYTES : MAX_STREAM_BYTES;
  const body = await begun(readText(response.body, { patience, maxBytes }));
  if (isEventStream(type, body.start)) {
    const done = await readEvents(body.pieces, patience, {
      take: (data) => assembly.addChunk(json(data)),
      get finished() {
        return assembly.finished;
      },
    });
    if (!assembly.finished) finish(assembly, done);
  } else {
    let text = '';
    for await (const piece of body.pieces) text += piece;
    assembly.addCompletion(json(text));
  }
  patience.check();
  return assembly.reply();
};

/** The first piece that holds more than white space, and all pieces from there on. */
interface BegunBody {
  readonly start: string;
  readonly pieces: AsyncIterable<string>;
}

/**
 * Reads until the body says something. The white space before it means nothing, and is dropped; each piece is looked at once.
 *
 * @throws ModelError `invalid-reply` when there is more than 16 KiB of it.
 */
const begun = async (pieces: AsyncGenerator<string, void, undefined>): Promise<BegunBody> => {
  let start = '';
  for (let blank = 0; start === ''; ) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = value.trimStart();
    blank += value.length - start.length;
    if (blank > MAX_BLANK) {
      await pieces.return();
      throw invalidReply(`begins with more than ${MAX_BLANK} characters of white space.`);
    }
  }
  const all = async function* () {
    try {
      yield start;
      yield* pieces;
    } finally {
      await pieces.return();
    }
  };
  return { start, pieces: all() };
};

/** Servers that keep a connection open send a line end now and then. */
const MAX_BLANK = 16 * 1024;

const isJson = (type: string): boolean => type.endsWith('json');

/**
 * Servers answer either way though they were asked for a stream, so the content type decides, and without one that tells how
 * the body begins: with a field of an event, or a comment.
 */
const isEventStream = (type: string, start: string): boolean =>
  !isJson(type) && type !== 'text/html' && /^(?:[deir:]|$)/.test(start);

const json = (text: string): unknown => parseReply(text, ' Is the base URL right?');

/**
 * Ends a reply that gave no reason for its end. Some servers send `[DONE]` and nothing else; so do some gateways whose
 * upstream broke, which tells by a reply that says nothing, or by a call whose input is not whole.
 *
 * @throws ModelError `truncated` when it was cut off.
 */
const finish = (assembly: ReplyAssembly, done: boolean): void => {
  if (!done) throw cutShort();
  assembly.addChunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  const { text, toolCalls } = assembly.reply();
  const isWhole = toolCalls.every(({ input }) => input.trim() === '' || isJsonObjectText(input));
  if (!isWhole || (text === '' && toolCalls.length === 0)) throw cutShort();
};

/**
 * What went wrong by a response whose status is not 2xx. Reads and closes the body. `retryAfter` is the wait of its headers.
 *
 * @throws ModelError `aborted` when the signal fires meanwhile.
 */
const errorOfResponse = async (
  response: Response,
  patience: Patience,
  retryAfter: number | undefined,
): Promise<ExplainedFailure> => {
  const body = await readBody(response, patience);
  const report = parseJson(body);
  // The page of a proxy helps nobody, so it is not told.
  const words = errorWords(report ?? (body.trimStart().startsWith('<') ? '' : body));
  const wait = isUsedUp(report) ? Infinity : retryAfter;
  const error = errorOfStatus(response.status, { words, details: errorDetails(report), retryAfter: wait });
  return { error, retryAfter: wait };
};

const readBody = async (response: Response, patience: Patience): Promise<string> => {
  let text = '';
  try {
    for await (const piece of readText(response.body, { patience, maxBytes: MAX_ERROR_BYTES })) text += piece;
  } catch (error) {
    // The status says enough: a body that is late, broken or endless must not hide it. An abort must.
    if (!(error instanceof ModelError) || error.failure === 'aborted') throw error;
  }
  return text;
};

const MAX_ERROR_BYTES = 64 * 1024;
