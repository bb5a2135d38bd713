import type { ExplainedFailure } from '../ask-patiently.ts';
import { readText } from '../chat-completions/read-text.ts';
import { detailsOf, isUsedUp, wordsOf } from '../chat-completions/reported-error.ts';
import { ModelError } from '../chat-model.ts';
import type { Patience } from '../patience.ts';
import { errorOfStatus } from '../status-error.ts';
import { parseJson } from '../untrusted-json.ts';

const MAX_ERROR_BYTES = 64 * 1024;

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

/**
 * What went wrong by a response whose status is not 2xx. Reads and closes the body. `retryAfter` is the wait of its headers.
 *
 * @throws ModelError `aborted` when the signal fires meanwhile.
 */
export const errorOfResponse = async (
  response: Response,
  patience: Patience,
  retryAfter: number | undefined,
): Promise<ExplainedFailure> => {
  const body = await readBody(response, patience);
  const report = parseJson(body);
  // A page of a proxy says nothing to anybody.
  const words = wordsOf(report ?? (body.trimStart().startsWith('<') ? '' : body));
  const wait = isUsedUp(report) ? Number.POSITIVE_INFINITY : retryAfter;
  const error = errorOfStatus(response.status, { words, details: detailsOf(report), retryAfter: wait });
  return { error, retryAfter: wait };
};
