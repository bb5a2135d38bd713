import type { ExplainedFailure } from '../ask-patiently.ts';
import { ModelError, type ModelFailure } from '../chat-model.ts';
import { parseRetryAfter } from '../retry.ts';
import {
  errorDetails,
  errorOfStatus,
  errorWords,
  isUsedUp,
  reportedError,
  sentence,
} from '../server-error.ts';
import { isRecord, isScalar, parseJson, type UntrustedRecord } from '../untrusted-json.ts';
import { brokenConnection } from '../untrusted-reply.ts';

/**
 * Explains what a model of the AI SDK threw or put into its stream, recognised by its fields: a provider may bring another
 * copy of the SDK's classes. Words are told only where they are a server's or the SDK's own. `otherwise` is for an error
 * that says nothing to us.
 */
export const explainFailure = (thrown: unknown, now: number, otherwise?: ModelError): ExplainedFailure => {
  const fields: UntrustedRecord = isRecord(thrown) ? thrown : { message: textOf(thrown) };
  const name = textOf(fields.name);
  const setUp = configured.get(name);
  if (setUp !== undefined) {
    return { error: new ModelError(setUp, sentence('The model cannot be asked', textOf(fields.message))) };
  }
  const called = explainCall(fields, now);
  if (called !== undefined) return called;
  const reported = thrown instanceof Error ? undefined : reportedError({ error: reportOf(fields) });
  if (reported !== undefined) return { error: reported };
  // A frame that is no reply may be the server's error, where its provider looks for replies only.
  const framed = isRecord(fields.value) ? reportedError(fields.value) : undefined;
  if (framed !== undefined) return { error: framed };
  const failure = nameless.get(name);
  if (failure === undefined && otherwise !== undefined) return { error: otherwise };
  return { error: new ModelError(failure ?? 'server-error', `The model failed with ${name || 'an error'}.`) };
};

/** Errors of the SDK that say what is wrong with how it was set up, in words without values. */
const configured: ReadonlyMap<string, ModelFailure> = new Map([
  ['AI_LoadAPIKeyError', 'unauthorized'],
  ['AI_LoadSettingError', 'bad-request'],
  ['AI_UnsupportedFunctionalityError', 'bad-request'],
]);

/** Errors whose words may hold the request, the reply or anything else; their name is all that is told. */
const nameless: ReadonlyMap<string, ModelFailure> = new Map([
  ['AI_InvalidPromptError', 'bad-request'],
  ['AI_InvalidArgumentError', 'bad-request'],
  ['AI_JSONParseError', 'invalid-reply'],
  ['AI_TypeValidationError', 'invalid-reply'],
  ['AI_InvalidResponseDataError', 'invalid-reply'],
  ['AI_NoContentGeneratedError', 'invalid-reply'],
  ['AI_EmptyResponseBodyError', 'truncated'],
  ['AbortError', 'timeout'],
  ['TimeoutError', 'timeout'],
]);

/** A call that a server answered, or did not: `APICallError`, and what the SDK's providers put into a stream. */
const explainCall = (call: UntrustedRecord, now: number): ExplainedFailure | undefined => {
  const status = statusOf(call);
  const words = textOf(call.message);
  // A provider of the SDK may know another shape of errors, and then tells the status alone.
  const body = call.data ?? parseJson(textOf(call.responseBody));
  const final = call.isRetryable === false || isUsedUp(body);
  if (status === undefined) {
    if (typeof call.isRetryable !== 'boolean') return undefined;
    return final
      ? { error: new ModelError('bad-request', sentence('The model refused the request', words)) }
      : { error: new ModelError('unreachable', sentence("The model's server could not be reached", words)) };
  }
  if (status < 300) {
    // For a body that broke off the SDK keeps the platform's error as the cause, and its own for one that it cannot read.
    const { cause } = call;
    if (isRecord(cause) && !textOf(cause.name).startsWith('AI_')) return { error: brokenConnection() };
    const start = "The model's reply could not be read";
    return { error: new ModelError('invalid-reply', sentence(start, words), { status }) };
  }
  const retryAfter = parseRetryAfter(headersOf(call), now);
  const details = `${errorDetails(body)} ${errorWords(body)}`;
  const error = errorOfStatus(status, { words, details, retryAfter });
  return { error, retryAfter: final ? Number.POSITIVE_INFINITY : retryAfter };
};

const statusOf = ({ statusCode }: UntrustedRecord): number | undefined =>
  typeof statusCode === 'number' && statusCode >= 100 && statusCode <= 599 ? statusCode : undefined;

const headersOf = ({ responseHeaders: headers }: UntrustedRecord): Pick<Headers, 'get'> => ({
  get: (name) => (isRecord(headers) && Object.hasOwn(headers, name) ? textOf(headers[name]) || null : null),
});

/** What a server said in a stream, with nothing in it that could not have come as JSON. */
const reportOf = (thrown: UntrustedRecord): UntrustedRecord => {
  const report = isRecord(thrown.error) ? thrown.error : thrown;
  return Object.fromEntries(
    ['message', 'type', 'code', 'status'].flatMap((key) =>
      isScalar(report[key]) ? [[key, report[key]]] : [],
    ),
  );
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
