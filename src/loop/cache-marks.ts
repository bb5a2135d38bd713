import type { CacheMarks, ModelRequest } from '../model/chat-model.ts';
import { isRecord } from '../model/untrusted-json.ts';
import { messageOf } from './exception-processor.ts';
import type { Holder } from './holder.ts';
import type { Loop } from './loop.ts';
import { tellDeveloper } from './tool-answer.ts';

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

/** The request with what is to be kept of it, for a model that can be told so; else as it is. */
export async function withCacheMarks(loop: Loop, request: ModelRequest): Promise<ModelRequest> {
  const { cache: setting = 'auto', model } = loop.spec;
  if (!model.caches || setting === 'off') return request;
  const key = await keyOf(loop);
  const cache = setting === 'auto' ? automatic(request, key) : chosen(loop, setting, { ...request, key });
  return cache ? { ...request, cache } : request;
}

/**
 * Anthropic looks for what it has kept at the marks and in the twenty blocks before each: where a reply and its results are more
 * than that, what was kept by the request before is found by the mark that stood at its end.
 */
function automatic({ messages }: ModelRequest, key: string): CacheMarks {
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return { key, tools: true, system: true, messages: before < 0 ? [-1] : [-1, before] };
}

function chosen(
  loop: Loop,
  choose: Extract<CacheSetting, (request: CacheableRequest) => unknown>,
  request: CacheableRequest,
): CacheMarks | undefined {
  try {
    const marks = choose(request);
    const problem = marksProblem(marks);
    if (problem === undefined) return marks;
    tell(loop, `answered ${problem}`);
  } catch (thrown) {
    tell(loop, `threw: ${messageOf(loop.frame.path, thrown)}`);
  }
  return undefined;
}

const tell = (loop: Loop, what: string): void =>
  tellDeveloper(
    loop,
    `nothing of a request is marked for a cache, since the function 'cache' of '${loop.frame.path}' ${what}`,
  );

/** Callers without types may answer anything. */
function marksProblem(marks: unknown): string | undefined {
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

/** The keys of an invocation, by the paths of its loops: they are hashed once. */
const keys = new WeakMap<Holder, Map<string, Promise<string>>>();

function keyOf({ holder, frame: { path } }: Loop): Promise<string> {
  const known = keys.get(holder) ?? new Map<string, Promise<string>>();
  keys.set(holder, known);
  // No call has an id that begins so.
  const key = known.get(path) ?? holder.idempotencyKey(`cache of ${path}`);
  known.set(path, key);
  return key;
}
