/** Validates the queries of an index, which come from clients or from untyped code. */
import { ENCODER } from '../../tool/async.ts';
import { fromBase64, toBase64 } from '../../tool/content.ts';
import { SESSION_STATUS, type SessionStatus } from '../../worker/index-views.ts';
import { SessionError } from '../../worker/problem.ts';
import type { ListPosition, SessionQuery, UsageQuery } from './reports.ts';

/** Parameters by name, from a query string or from the app's code. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** The maximum and the default number of entries of a page. */
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;

const createQueryError = (problem: string): SessionError => new SessionError('invalid-query', problem);

/**
 * Returns one of these words, or `undefined` if the parameter is absent. @throws SessionError if it has
 * another value.
 */
function readWord<Word extends string>(
  asked: QueryParameters,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = asked[name];
  if (value === undefined) return undefined;
  const word = words.find((one) => one === value);
  if (word === undefined) throw createQueryError(`${name} must be one of ${words.join(', ')}.`);
  return word;
}

/** Returns a number from a number or from its text in a query string. */
function toWholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

export function readLimit({ limit = DEFAULT_LIMIT }: QueryParameters): number {
  const number = toWholeNumber(limit);
  if (number === undefined || number < 1 || number > MAX_LIMIT)
    throw createQueryError(`limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  return number;
}

/** A day, or a time with a time zone. */
const TIME_PATTERN = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

function readTime(since: unknown): number | undefined {
  if (since === undefined) return undefined;
  const ms = typeof since === 'string' && TIME_PATTERN.test(since) ? Date.parse(since) : toWholeNumber(since);
  if (ms === undefined || !(ms >= 0))
    throw createQueryError(
      'since must be milliseconds since the epoch, or a time such as 2026-11-30T09:00:00Z.',
    );
  return ms;
}

/** Reads the query of a page of sessions. @throws SessionError if a parameter is invalid. */
export const readSessionQuery = (asked: QueryParameters): Omit<SessionQuery, 'agent'> => ({
  status: readWord<SessionStatus>(asked, 'status', SESSION_STATUS.oneOf),
  since: readTime(asked.since),
  after: parseSessionCursor(asked.cursor),
  limit: readLimit(asked),
});

/** Reads the query of usage. @throws SessionError if a parameter is invalid. */
export const readUsageQuery = (asked: QueryParameters): UsageQuery => ({
  by: readWord(asked, 'by', ['day', 'agent', 'model']) ?? 'day',
  from: readDay(asked, 'from'),
  to: readDay(asked, 'to'),
});

function readDay(asked: QueryParameters, name: string): string | undefined {
  const day = asked[name];
  if (day === undefined) return undefined;
  const time = typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(time)) throw createQueryError(`${name} must be a day in UTC, such as 2026-11-30.`);
  return String(day);
}

export const toSessionCursor = ({ lastActivity, agent, session }: ListPosition): string =>
  encodeCursor([lastActivity, agent, session]);

export function parseSessionCursor(cursor: unknown): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const [lastActivity, agent, session] = decodeCursor(cursor);
  if (!Number.isSafeInteger(lastActivity) || typeof agent !== 'string' || typeof session !== 'string')
    throw createCursorError();
  return { lastActivity: Number(lastActivity), agent, session };
}

export const toOwnerCursor = (owner: string): string => encodeCursor([owner]);

export function parseOwnerCursor(cursor: unknown): string {
  if (cursor === undefined) return '';
  const [owner] = decodeCursor(cursor);
  if (typeof owner !== 'string') throw createCursorError();
  return owner;
}

const createCursorError = (): SessionError =>
  createQueryError('cursor must be the `next` of the page before.');

const encodeCursor = (place: readonly (string | number)[]): string =>
  toBase64(ENCODER.encode(JSON.stringify(place)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function decodeCursor(cursor: unknown): readonly unknown[] {
  try {
    const text = String(cursor).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='));
    const place: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    if (Array.isArray(place)) return place;
  } catch {}
  throw createCursorError();
}

/** @throws SessionError if the app's code passes no reader. */
export function assertReader(reader: unknown): void {
  if (typeof reader !== 'string' || reader === '')
    throw createQueryError('The reader must be the id of a person.');
}
