/** Sends an OTLP request over HTTP, and reads the response as the specification requires. */
import type { Clock } from '../../session/read-platform.ts';
import { isJsonObject } from '../../tool/json.ts';
import { type PostRequest, parseRetryAfter, post } from '../outgoing-webhooks/post.ts';

/**
 * The outcome of a request. Its texts follow the name of the receiver, and do not contain headers or URLs.
 */
export type SendOutcome =
  /** `warning` means that the receiver rejected a part, which must not be sent again. */
  | { readonly status: 'sent'; readonly warning?: string | undefined }
  | { readonly status: 'failed'; readonly why: string; readonly retryAfter?: number | undefined }
  /** The receiver will never accept this request. */
  | { readonly status: 'refused'; readonly why: string };

/** The statuses of responses after which a request may be repeated. */
const RETRYABLE_STATUSES: readonly number[] = [429, 502, 503, 504];

/** The maximum number of characters of a response that are read. */
const MAX_READ_BYTES = 65_536;

export async function sendOnce(
  clock: Clock,
  { url, headers, body }: Omit<PostRequest, 'read'>,
): Promise<SendOutcome> {
  let text = '';
  const response = await post(clock, {
    ...{ url, headers: { 'user-agent': 'holdfast', ...headers, 'content-type': 'application/json' }, body },
    async read({ ok, body: stream }) {
      if (ok) text = await readBeginning(stream);
      else void stream?.cancel().catch(() => {});
    },
  });
  if ('unanswered' in response) return { status: 'failed', why: response.unanswered };
  const { ok, status } = response;
  if (ok) return { status: 'sent', warning: findRejection(text) };
  const why = `answered ${status}`;
  return RETRYABLE_STATUSES.includes(status)
    ? { status: 'failed', why, retryAfter: parseRetryAfter(response, clock.now()) }
    : { status: 'refused', why };
}

/** Returns the beginning of a response without reading the rest. */
async function readBeginning(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  let text = '';
  if (!stream) return text;
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_READ_BYTES) return '';
  }
  return text;
}

/** Returns the warning of a partial success, or `undefined`. */
function findRejection(text: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined; // many receivers respond without a body, or in another format
  }
  const partial = isJsonObject(answer) ? answer.partialSuccess : undefined;
  if (!isJsonObject(partial)) return undefined;
  const { rejectedSpans, rejectedDataPoints, errorMessage } = partial;
  const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  const words = typeof errorMessage === 'string' ? errorMessage.slice(0, 300) : '';
  if (!(rejected > 0) && words === '') return undefined;
  return `has rejected ${rejected} items: ${JSON.stringify(words)}`;
}
