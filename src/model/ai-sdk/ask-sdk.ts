import { type OpenAttempt, waitOrRelease } from '../ask-patiently.ts';
import { ModelError, type ModelMessage, type ModelReply, type ModelRequest } from '../chat-model.ts';
import { joinTextParts, toPlainParts } from '../parts.ts';
import { keepPlausible, type Usage } from '../prices.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import {
  createBrokenConnectionError,
  createInvalidReplyError,
  createTruncatedReplyError,
  readList,
} from '../untrusted-reply.ts';
import { toCallOptions } from './call-options.ts';
import { createSdkReply } from './sdk-reply.ts';
import { checkWarnings } from './settings.ts';
import { generate, streamReply } from './specification.ts';
import type { KnownModel } from './traits.ts';

/** The maximum number of requests for one reply whose server pauses. */
const MAX_ROUNDS = 8;

/**
 * Asks for one reply. Anthropic's server pauses a long reply in which it runs tools itself. It resumes when
 * it receives the parts so far, and all rounds together are one reply. `again` is awaited before each further
 * request.
 *
 * @throws ModelError if there is no complete reply. Rejects as `again` does.
 */
export async function askThroughPauses(
  ask: SdkAsk,
  again: (() => Promise<void>) | undefined,
): Promise<ModelReply> {
  let { reply, raw } = await askSdk(ask, again);
  for (let round = 1; raw === 'pause_turn' && reply.toolCalls.length === 0; round += 1) {
    // The reply is not complete, so it does not count as stopped.
    if (round > MAX_ROUNDS) return { ...reply, finish: 'other' };
    await again?.();
    const messages = [...ask.request.messages, toMessage(reply)];
    const more = await askSdk({ ...ask, request: { ...ask.request, messages } }, again);
    reply = joinReplies(reply, more.reply);
    raw = more.raw;
  }
  return reply;
}

const toMessage = ({ text, toolCalls, parts, provider }: ModelReply): ModelMessage => ({
  role: 'assistant',
  text,
  toolCalls,
  parts,
  provider,
});

function joinReplies(first: ModelReply, second: ModelReply): ModelReply {
  const parts = [first, second].flatMap(
    ({ parts: given, text, toolCalls }) => given ?? toPlainParts(text, toolCalls),
  );
  const provider = second.provider ?? first.provider;
  return {
    ...second,
    text: joinTextParts(parts),
    parts,
    ...(provider && { provider }),
    usage: sumUsage(first.usage, second.usage),
  };
}

/** Returns the sum of two usages. Both requests were charged for. The sum is unknown if either usage is. */
function sumUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (!first || !second) return undefined;
  const sumCount = (count: keyof Usage): number => (first[count] ?? 0) + (second[count] ?? 0);
  return keepPlausible(
    { inputTokens: sumCount('inputTokens'), outputTokens: sumCount('outputTokens') },
    {
      cachedInputTokens: sumCount('cachedInputTokens'),
      cacheWriteTokens: sumCount('cacheWriteTokens'),
      reasoningTokens: sumCount('reasoningTokens'),
    },
  );
}

/** Converts a thrown value to our error. `otherwise` replaces an error without useful fields. */
type ErrorExplainer = (thrown: unknown, otherwise?: ModelError) => ModelError;

/** One request to a model of the AI SDK. */
interface SdkAsk {
  readonly known: KnownModel;
  readonly request: ModelRequest;
  readonly attempt: OpenAttempt;
  readonly explain: ErrorExplainer;
}

/** The result of one request. */
interface SdkAnswer {
  readonly reply: ModelReply;
  /** The finish reason in the provider's own word. */
  readonly raw: unknown;
}

/**
 * Asks once. Streams the reply if the model can, so that silence means an inactive server.
 *
 * @throws ModelError if there is no complete reply.
 */
async function askSdk(ask: SdkAsk, again: (() => Promise<void>) | undefined): Promise<SdkAnswer> {
  const { known, request, attempt, explain } = ask;
  const { sdk: model } = known;
  const options = toCallOptions(known, request, attempt.signal);
  if (typeof model.doStream !== 'function' || modelsWithoutStream.has(model)) return askWhole(ask, options);
  let cannotStream = false;
  const explainBroken: ErrorExplainer = (thrown) => {
    cannotStream = isUnsupported(thrown);
    return explain(thrown);
  };
  const release = (late: unknown): unknown =>
    findResultStream(late)
      ?.cancel()
      .catch(() => {});
  try {
    const result = await waitOrRelease(attempt.patience, () => streamReply(model, options), {
      broken: explainBroken,
      release,
    });
    if (!isJsonAnswer(result)) return await readStream(ask, result);
    release(result);
  } catch (error) {
    if (!cannotStream) throw error;
    return askWhole(ask, options);
  }
  modelsWithoutStream.add(model);
  await again?.();
  return askWhole(ask, options);
}

/**
 * Models whose servers answered a stream request with a whole reply. Their packages cannot read that, so
 * these models are asked for a whole reply.
 */
const modelsWithoutStream = new WeakSet<object>();

const isJsonAnswer = (result: unknown): boolean => {
  const headers = isRecord(result) && isRecord(result.response) ? result.response.headers : undefined;
  const type = isRecord(headers) ? headers['content-type'] : undefined;
  return typeof type === 'string' && /^application\/(?:[\w.]+\+)?json\b/i.test(type);
};

const isUnsupported = (thrown: unknown): boolean =>
  isRecord(thrown) &&
  thrown.name === 'AI_UnsupportedFunctionalityError' &&
  /stream/i.test(String(thrown.functionality ?? thrown.message));

async function askWhole(
  { known: { sdk: model }, request, attempt, explain }: SdkAsk,
  options: Parameters<typeof generate>[1],
): Promise<SdkAnswer> {
  const result = await attempt.patience.wait(() => generate(model, options), explain);
  if (!isRecord(result)) throw createInvalidReplyError('is not an object.');
  checkWarnings(model, result.warnings, request);
  const structured = request.output !== undefined;
  const reply = createSdkReply({ ...attempt, structured });
  for (const part of readList(result, 'content')) {
    if (!isRecord(part)) throw createInvalidReplyError('holds a content part that is not an object.');
    reply.addWhole(part);
  }
  const ended = reply.end(result);
  const { structuredOutputText: chosen } = result;
  // Some providers return the text of a structured answer separately from drafts. Parts with other text are
  // drafts.
  return structured && typeof chosen === 'string' && chosen !== ended.text
    ? {
        ...toSdkAnswer(
          { text: chosen, toolCalls: ended.toolCalls, finish: ended.finish, usage: ended.usage },
          result,
        ),
      }
    : toSdkAnswer(ended, result);
}

const toSdkAnswer = (reply: ModelReply, { finishReason }: UntrustedRecord): SdkAnswer => ({
  reply,
  raw: isRecord(finishReason) ? finishReason.raw : undefined,
});

const findResultStream = (result: unknown): ReadableStream<unknown> | undefined =>
  isRecord(result) && result.stream instanceof ReadableStream ? result.stream : undefined;

/** Reads the result of `doStream` and passes it on as it arrives. Always cancels the stream. */
async function readStream(
  { known: { sdk: model }, request, attempt, explain }: SdkAsk,
  result: unknown,
): Promise<SdkAnswer> {
  const parts = findResultStream(result);
  if (!parts) throw new ModelError('invalid-reply', 'The model returned no stream.');
  const reply = createSdkReply({ ...attempt, structured: request.output !== undefined });
  const toBrokenError: ErrorExplainer = (thrown) => explain(thrown, createBrokenConnectionError());
  const reader = parts.getReader();
  try {
    for (;;) {
      const { done, value } = await attempt.patience.wait(() => reader.read(), toBrokenError);
      if (done) throw createTruncatedReplyError();
      if (!isRecord(value)) continue;
      if (value.type === 'error') throw explain(value.error);
      if (value.type === 'stream-start') checkWarnings(model, value.warnings, request);
      if (value.type === 'finish') return toSdkAnswer(reply.end(value), value);
      reply.addStreamed(value);
    }
  } finally {
    // Not awaited: a hanging model can leave the cancellation pending forever.
    reader.cancel().catch(() => {});
  }
}
