import { type CacheableRequest, type CacheSetting, marksProblem } from '../model/cache-setting.ts';
import type { CacheMarks, ModelRequest } from '../model/chat-model.ts';
import { messageOf } from './exception-processor.ts';
import type { Holder } from './holder.ts';
import type { Loop } from './loop.ts';
import { tellMistake } from './tool-answer.ts';

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
  tellMistake(
    loop,
    `nothing of a request is marked for a cache, since the function 'cache' of '${loop.frame.path}' ${what}`,
  );

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
