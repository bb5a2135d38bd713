import { ModelError, type ModelFailure } from '../chat-model.ts';
import { isRecord, parseJson, type UntrustedRecord } from '../untrusted-json.ts';
import type { Patience } from './patience.ts';
import { readText } from './read-text.ts';
import { LONGEST_WAIT, mayPass } from './retry.ts';

const MAX_ERROR_BYTES = 64 * 1024;

/** What an HTTP status other than 2xx says about the request. */
export const failureOfStatus = (status: number): ModelFailure => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 409 ? 'server-error' : 'bad-request';
};

/** The server's own words, from the shapes that servers use; empty when there are none. */
const wordsOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (!isRecord(body)) return '';
  if (body.error !== undefined && body.error !== null) return wordsOf(body.error);
  const words = [body.message, body.detail].find((value) => typeof value === 'string');
  return typeof words === 'string' ? words : '';
};

const sentence = (start: string, words: string): string =>
  words.trim() === '' ? `${start}.` : `${start}: ${words.trim()}`;

const failureOfReport = (report: UntrustedRecord): { failure: ModelFailure; status?: number } => {
  const status = [report.code, report.status].map(Number).find((code) => code >= 400 && code <= 599);
  if (status !== undefined) return { failure: failureOfStatus(status), status };
  const kind = `${report.type} ${report.code}`;
  if (kind.includes('rate_limit')) return { failure: 'rate-limited' };
  return { failure: kind.includes('invalid_request') ? 'bad-request' : 'server-error' };
};

/** The error that a server reports inside an answer with status 200, as gateways do when a stream breaks upstream. */
export const reportedError = (value: UntrustedRecord): ModelError | undefined => {
  const report = value.object === 'error' ? value : value.error;
  // Some servers send `null` or an empty text with every chunk.
  if (report === undefined || report === null || report === '') return undefined;
  const { failure, status } = failureOfReport(isRecord(report) ? report : {});
  return new ModelError(failure, sentence("The model's server reported an error", wordsOf(report)), {
    status,
  });
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

/**
 * The error for a response whose status is not 2xx. Reads and closes the body.
 *
 * @throws ModelError `aborted` when the signal fires meanwhile.
 */
export const errorOfResponse = async (
  response: Response,
  patience: Patience,
  retryAfter: number | undefined,
): Promise<ModelError> => {
  const body = await readBody(response, patience);
  const { status } = response;
  // A page of a proxy says nothing to anybody.
  const words = wordsOf(parseJson(body) ?? (body.trimStart().startsWith('<') ? '' : body));
  const failure = failureOfStatus(status);
  if (retryAfter !== undefined && retryAfter > LONGEST_WAIT && mayPass(failure)) {
    const wait = `The model's server answered ${status} and asks to wait ${Math.ceil(retryAfter / 1000)} s`;
    return new ModelError('rate-limited', sentence(wait, words), { status });
  }
  return new ModelError(failure, sentence(`The model's server answered ${status}`, words), { status });
};
