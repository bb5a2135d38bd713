/** The entry `holdfast/prompt-cache`: what of its requests an agent has its model's provider keep, if that is not what holds by default. */
import { messageOf } from '../../loop/exception-processor.ts';
import type { Loop } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { tellMistake } from '../../loop/tool-answer.ts';
import type { CacheMarks, ModelRequest } from '../../model/chat-model.ts';
import { isRecord } from '../../model/untrusted-json.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';

/**
 * Says what the provider of a model is asked to keep of the requests of a loop: `defineAgent({ use: [promptCache('off')] })`, or of all
 * loops of an app with `createHoldfast({ use })`. Without it, `auto` holds. It holds in nested loops too, unless their agents use their own.
 *
 * @throws TypeError if the setting is none.
 */
export function promptCache(setting: CacheSetting): ModuleUse {
  // Callers without types may give anything.
  if (setting !== 'auto' && setting !== 'off' && typeof setting !== 'function')
    throw new TypeError("promptCache takes 'auto', 'off' or a function.");
  const use = useOf(PROMPT_CACHE);
  LOOPS.give(use, {
    marks(request, { key, auto }, loop) {
      if (setting === 'off') return undefined;
      return setting === 'auto' ? auto : chosen(loop, setting, { ...request, key });
    },
  });
  return use;
}

/**
 * What a model's provider is asked to keep of the requests of a loop. `auto`: the tools, the system text and the conversation, under a key
 * of the session and the loop. `off`: nothing. A function returns it for each request, or nothing. If the function throws, or returns what
 * cannot be asked for, the log says so, and nothing of the request is marked.
 */
export type CacheSetting = 'auto' | 'off' | ((request: CacheableRequest) => CacheMarks | undefined);

/** A request as it is about to be sent. It is the loop's own, to be read and not to be changed. */
export interface CacheableRequest extends Omit<ModelRequest, 'cache'> {
  /**
   * The key that `auto` would give: the same for all requests of a loop in its session, and made of no name that anybody could read.
   */
  readonly key: string;
}

const PROMPT_CACHE = createModule({ name: 'prompt-cache', nested: true });

function chosen(
  loop: Loop,
  choose: Extract<CacheSetting, (request: CacheableRequest) => unknown>,
  request: CacheableRequest,
): CacheMarks | undefined {
  try {
    const marks = choose(request);
    const problem = marksProblem(marks);
    if (problem === undefined) return marks;
    tell(loop, `returned ${problem}`);
  } catch (thrown) {
    tell(loop, `threw: ${messageOf(loop.frame.path, thrown)}`);
  }
  return undefined;
}

const tell = (loop: Loop, what: string): void =>
  tellMistake(
    loop,
    `nothing of a request is marked for a cache, since the function of promptCache for '${loop.frame.path}' ${what}`,
  );

/** Returns what a function has returned in place of marks; `undefined` for marks. Callers without types may return anything. */
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
