/** The entry `holdfast/prompt-cache`, which overrides the default prompt caching of an agent. */
import { getThrownMessage } from '../../loop/exception-processor.ts';
import type { Loop } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { logMistake } from '../../loop/tool-answer.ts';
import type { CacheMarks, ModelRequest } from '../../model/chat-model.ts';
import { isRecord } from '../../model/untrusted-json.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';

/**
 * Sets which parts of a loop's requests the model's provider should cache:
 * `defineAgent({ use: [promptCache('off')] })`, or for all loops of an app with `createHoldfast({ use })`.
 * Defaults to `auto`. The setting also applies in nested loops whose agents have no setting.
 *
 * @throws TypeError if the setting is invalid.
 *
 * @example
 * ```ts
 * const use = [promptCache(({ key }) => ({ key, tools: true, system: true, messages: [-1] }))];
 * ```
 */
export function promptCache(setting: CacheSetting): ModuleUse {
  // Callers without types can pass any value.
  if (setting !== 'auto' && setting !== 'off' && typeof setting !== 'function')
    throw new TypeError("promptCache must receive 'auto', 'off' or a function.");
  const use = createUse(PROMPT_CACHE_MODULE);
  LOOPS.give(use, {
    marks(request, { key, auto }, loop) {
      if (setting === 'off') return undefined;
      return setting === 'auto' ? auto : chooseMarks(loop, setting, { ...request, key });
    },
  });
  return use;
}

/**
 * The parts of a loop's requests to cache. `auto` caches the tools, the system text and the conversation,
 * under a key of the session and the loop. `off` caches no part. A function returns the marks for each
 * request, or `undefined` for none. If the function throws or returns invalid marks, the error is logged and
 * the request has no marks.
 */
export type CacheSetting = 'auto' | 'off' | ((request: CacheableRequest) => CacheMarks | undefined);

/** A request before it is sent. It belongs to the loop, so do not modify it. */
export interface CacheableRequest extends Omit<ModelRequest, 'cache'> {
  /**
   * The key that `auto` would use. It is the same for all requests of a loop in its session, and contains no
   * readable name.
   */
  readonly key: string;
}

const PROMPT_CACHE_MODULE = createModule({ name: 'prompt-cache', nested: true });

function chooseMarks(
  loop: Loop,
  choose: Extract<CacheSetting, (request: CacheableRequest) => unknown>,
  request: CacheableRequest,
): CacheMarks | undefined {
  try {
    const marks = choose(request);
    const problem = findMarksProblem(marks);
    if (problem === undefined) return marks;
    logMissingMarks(loop, `returned ${problem}`);
  } catch (thrown) {
    logMissingMarks(loop, `threw: ${getThrownMessage(loop.frame.path, thrown)}`);
  }
  return undefined;
}

const logMissingMarks = (loop: Loop, what: string): void =>
  logMistake(
    loop,
    `a request has no cache marks, because the promptCache function for '${loop.frame.path}' ${what}`,
  );

/**
 * Returns the problem of a function's return value, or `undefined` if it is valid. Callers without types can
 * return any value.
 */
function findMarksProblem(marks: unknown): string | undefined {
  if (marks === undefined) return undefined;
  if (marks instanceof Promise) {
    marks.catch(() => {});
    return 'a promise, but must be synchronous';
  }
  if (!isRecord(marks))
    return `a value of the type ${typeof marks}, but must return an object with marks or undefined`;
  const { key, messages, ttl } = marks;
  if (key !== undefined && !(typeof key === 'string' && /^[\w-]{1,64}$/.test(key)))
    return "an invalid key. Use 1 to 64 letters, digits, '-' and '_'";
  if (messages !== undefined && !(Array.isArray(messages) && messages.every(Number.isInteger)))
    return 'messages that are not a list of whole numbers';
  return ttl === undefined || ttl === '5m' || ttl === '1h' ? undefined : "an invalid ttl. Use '5m' or '1h'";
}
