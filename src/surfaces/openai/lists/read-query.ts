/** The query of a list, and a page of it, in the format of the protocol. */
import type { ModuleRequest } from '../../../worker/module-request.ts';
import { createInvalidValueError } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';

export interface ListQuery {
  /** The id of the last entry of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
  /** `true` for `order=asc`. Defaults to `false`. */
  readonly oldestFirst: boolean;
}

export interface Page<Entry> {
  readonly object: 'list';
  readonly data: readonly Entry[];
  /** `null` if the page is empty, like `last_id`. */
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** The maximum and the default number of entries of a page. */
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

const LIST_PARAMETERS = ['after', 'limit', 'order'];

/**
 * Matches a parameter that is accepted but ignored: it cannot change whether an optional field is present.
 */
const INCLUDE_PARAMETER = /^include(\[\d*\])?$/;

/** Returns the parameters of a request. @throws OpenAiError if a parameter is not in `known`. */
export function readParameters(
  { request }: Pick<ModuleRequest, 'request'>,
  known: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const given = [...new URL(request.url).searchParams].filter(([param]) => !INCLUDE_PARAMETER.test(param));
  const unknown = given.find(([param]) => !known.includes(param))?.[0].slice(0, 80);
  if (unknown === undefined) return Object.fromEntries(given);
  throw new OpenAiError(`Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' });
}

/**
 * Reads the query of a page. `more`: other parameters of the route. @throws OpenAiError if a parameter is
 * invalid.
 */
export function readListQuery(
  asked: Pick<ModuleRequest, 'request'>,
  more: readonly string[] = [],
): ListQuery {
  const {
    after,
    limit = String(DEFAULT_LIMIT),
    order = 'desc',
  } = readParameters(asked, [...LIST_PARAMETERS, ...more]);
  const most = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (most < 1 || most > MAX_LIMIT)
    throw createInvalidValueError('limit', `a whole number from 1 to ${MAX_LIMIT}`);
  if (order !== 'asc' && order !== 'desc') throw createInvalidValueError('order', 'asc or desc');
  return { after, limit: most, oldestFirst: order === 'asc' };
}

/** Makes a page from entries. An entry beyond the limit means that there are more pages. */
export function toPage<Entry extends { readonly id: string }>(
  found: readonly Entry[],
  limit: number,
): Page<Entry> {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

/** Returns the entries after the one with an id. @throws OpenAiError if the id is not in the list. */
export function listEntriesAfter<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  after: string | undefined,
): readonly Entry[] {
  if (after === undefined) return entries;
  const place = entries.findIndex(({ id }) => id === after);
  if (place === -1) throw createInvalidValueError('after', 'the id of an entry of this list');
  return entries.slice(place + 1);
}
