import type { CacheMarks, ModelRequest } from './chat-model.ts';
import { isRecord } from './untrusted-json.ts';

/**
 * What a model's provider is asked to keep of the requests of a loop. `auto`: the tools, the system text and the conversation,
 * under a key of the session and the loop; `off`: nothing. A function answers it for each request, or nothing; where it throws,
 * or answers what cannot be asked for, that is told on the console, and nothing of the request is marked.
 */
export type CacheSetting = 'auto' | 'off' | ((request: CacheableRequest) => CacheMarks | undefined);

/** A request as it is about to be sent. It is the loop's own, to be read and not to be changed. */
export interface CacheableRequest extends Omit<ModelRequest, 'cache'> {
  /**
   * The key that `auto` would give: the same for all requests of a loop in its session, and made of no name that anybody could read.
   */
  readonly key: string;
}

/** Answers what a function has answered in place of marks; `undefined` for marks. Callers without types may answer anything. */
export function marksProblem(marks: unknown): string | undefined {
  if (marks === undefined) return undefined;
  if (marks instanceof Promise) {
    marks.catch(() => {});
    return 'a promise: it must be synchronous';
  }
  if (!isRecord(marks)) return `${typeof marks}: it must be an object with marks, or undefined`;
  const { key, messages, ttl } = marks;
  if (key !== undefined && !(typeof key === 'string' && /^[\w-]{1,64}$/.test(key)))
    return "a key that is none: use 1 to 64 letters, digits, '-' and '_'";
  if (messages !== undefined && !(Array.isArray(messages) && messages.every(Number.isInteger)))
    return 'messages that are not a list of whole numbers';
  return ttl === undefined || ttl === '5m' || ttl === '1h'
    ? undefined
    : "a ttl that is none: use '5m' or '1h'";
}
