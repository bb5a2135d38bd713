import type { CacheMarks, ModelRequest } from '../model/chat-model.ts';
import type { Holder } from './holder.ts';
import type { Loop } from './loop.ts';
import { LOOPS } from './loop-seams.ts';

/** Returns the request with what its provider is to keep of it. For a model that can be told so. */
export async function withCacheMarks(loop: Loop, request: ModelRequest): Promise<ModelRequest> {
  const key = await keyOf(loop);
  const auto = automatic(request, key);
  const own = loop.spec.uses.flatMap(({ use }) => LOOPS.of(use) ?? []).findLast(({ marks }) => marks);
  const cache = own?.marks ? own.marks(request, { key, auto }, loop) : auto;
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
