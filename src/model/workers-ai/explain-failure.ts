import type { ExplainedFailure } from '../ask-patiently.ts';
import { ModelError } from '../chat-model.ts';
import { toldLength } from '../context-length.ts';
import { errorOfStatus, sentence } from '../server-error.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';

/** What the binding threw. It has no status and no headers; what went wrong is in its code or its words. */
export const explainFailure = (thrown: unknown): ExplainedFailure => {
  const fields = isRecord(thrown) ? thrown : { message: thrown };
  const words = typeof fields.message === 'string' ? fields.message.slice(0, 2_000) : '';
  const code = codeOf(fields, words);
  const status = code === undefined ? undefined : statuses.get(code);
  const final = fields.retryable === false || (code !== undefined && untilTomorrow.has(code));
  const retryAfter = final ? Number.POSITIVE_INFINITY : undefined;
  if (status !== undefined) return { error: errorOfStatus(status, { words }), retryAfter };
  if (/JSON Mode couldn't be met/i.test(words)) {
    return {
      error: new ModelError('invalid-reply', 'The model could not answer in the form that was asked for.'),
    };
  }
  const length = toldLength('server-error', words);
  const failure = length ? 'context-length' : 'server-error';
  return { error: new ModelError(failure, sentence('Workers AI failed', words), { length }), retryAfter };
};

/**
 * Workers AI's own codes and what they mean in HTTP. From its documentation, but for 4006 and 5006: what it says today
 * of the daily allocation, and of inputs that do not match the model's schema.
 */
const statuses: ReadonlyMap<number, number> = new Map([
  [3003, 400],
  [3006, 413],
  [3007, 408],
  [3008, 408],
  [3023, 403],
  [3036, 429],
  [3039, 400],
  [3040, 429],
  [3041, 403],
  [3042, 404],
  [4006, 429],
  [5004, 400],
  [5005, 405],
  [5006, 400],
  [5007, 400],
  [5016, 403],
  [5018, 403],
  [5019, 405],
]);

/** The day's allocation is used up: it comes back at midnight, not in half a minute. */
const untilTomorrow: ReadonlySet<number> = new Set([3036, 4006]);

/** The code stands in `code`, or before a colon: `AiError: 3040: Capacity temporarily exceeded`. */
const codeOf = (fields: UntrustedRecord, words: string): number | undefined =>
  [fields.code, ...[...words.matchAll(/\b(\d{4})\s*:/g)].map(([, digits]) => digits)]
    .map((code) => (typeof code === 'string' ? Number(code) : code))
    .find((code): code is number => typeof code === 'number' && statuses.has(code));
