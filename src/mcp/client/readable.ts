import { isSpecType, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { attempt } from '../../tool/async.ts';

/** Tells milliseconds for which an answer may be current. */
export const isTtl = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0;

/** Stands for how long an answer is current where the server does not say: the SDK insists on a number. */
export const UNSAID = Number.MAX_SAFE_INTEGER;

/** What lists hold, and what each of it has to be. */
const LISTED = {
  tools: isSpecType.Tool,
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
} as const;

/** Tells whether a value is one of these. What is nested too deeply to be looked at is none. */
export function passes<One>(isOne: (value: unknown) => value is One, value: unknown): value is One {
  const looked = attempt(() => isOne(value));
  return looked.ok && looked.value;
}

/**
 * Copies an answer of the revision without sessions so that the SDK reads it: it refuses a whole list for one definition that is
 * none, and an answer that does not say that it is complete, or for how long it is current, though the specification has clients
 * take such an answer for complete.
 */
export function readable(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const { resultType = 'complete', ttlMs, cacheScope, ...result } = message.result;
  const lists = Object.entries(LISTED).flatMap(([name, isListed]) => {
    const list = result[name];
    return Array.isArray(list) ? [[name, list.filter((one) => passes(isListed, one))]] : [];
  });
  const isKept = lists.length > 0 || 'contents' in result;
  const current = isKept && {
    ttlMs: isTtl(ttlMs) ? ttlMs : UNSAID,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
  return { ...message, result: { ...result, resultType, ...current, ...Object.fromEntries(lists) } };
}
