import { ModelError, type ModelFailure } from '../chat-model.ts';
import { toldLength } from '../context-length.ts';
import { failureOfStatus, sentence } from '../status-error.ts';
import { isRecord, isScalar, type UntrustedRecord } from '../untrusted-json.ts';

/** A server's own words, from the shapes that servers use; empty when there are none. */
export const wordsOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (!isRecord(body)) return '';
  if (body.error !== undefined && body.error !== null) return wordsOf(body.error);
  const words = [body.message, body.detail].find((value) => typeof value === 'string');
  return typeof words === 'string' ? words : '';
};

/** What a server says of its error beside its words, from the same shapes: a gateway gives what the one behind it said. */
export const detailsOf = (body: unknown): string => {
  const report = isRecord(body) && isRecord(body.error) ? body.error : body;
  if (!isRecord(report)) return '';
  const behind = isRecord(report.metadata) ? report.metadata.raw : undefined;
  return [report.type, report.code, behind].filter(isScalar).join(' ');
};

/** What a server says when the account has nothing left: it comes as a limit of the rate, and goes by no wait. */
const USED_UP = /^(insufficient_quota|billing_)/;

/** Whether a server's error says that the account may ask no more until somebody pays. */
export const isUsedUp = (body: unknown): boolean => {
  const report = isRecord(body) && isRecord(body.error) ? body.error : body;
  const words = isRecord(report) ? [report.code, report.type] : [];
  return words.some((word) => typeof word === 'string' && USED_UP.test(word));
};

const failureOfReport = (report: UntrustedRecord): { failure: ModelFailure; status?: number } => {
  const [code, stated, type] = [report.code, report.status, report.type].map((value) =>
    isScalar(value) ? String(value) : '',
  );
  const status = [code, stated].map(Number).find((number) => number >= 400 && number <= 599);
  if (status !== undefined) return { failure: failureOfStatus(status), status };
  const kind = `${type} ${code}`;
  if (kind.includes('rate_limit') || isUsedUp(report)) return { failure: 'rate-limited' };
  return { failure: kind.includes('invalid_request') ? 'bad-request' : 'server-error' };
};

/** The error that a server reports inside an answer with status 200, as gateways do when a stream breaks upstream. */
export const reportedError = (value: UntrustedRecord): ModelError | undefined => {
  const report = value.object === 'error' ? value : value.error;
  // Some servers send `null` or an empty text with every chunk.
  if (report === undefined || report === null || report === '') return undefined;
  const { failure, status } = failureOfReport(isRecord(report) ? report : {});
  const words = wordsOf(report);
  const length = toldLength(failure, words, detailsOf(report));
  const told = sentence("The model's server reported an error", words);
  const retryAfter = isUsedUp(report) ? Number.POSITIVE_INFINITY : undefined;
  return new ModelError(length ? 'context-length' : failure, told, { status, retryAfter, length });
};
