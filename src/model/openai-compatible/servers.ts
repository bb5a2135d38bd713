import type { LimitParameter } from './request-body.ts';

/** What a server of chat completions is sent otherwise than one of which nothing is known. */
interface ServerTraits {
  /** What it calls the most tokens of a reply. Defaults to `max_tokens`. */
  readonly limitParameter?: LimitParameter;
  /** Where it takes the key of a conversation: a field of the body, or a header, whose name begins with `x-`. Others may refuse it. */
  readonly cacheKeyIn?: string;
  /** What it wants of replies with calls. */
  readonly wantsThoughts?: 'field' | 'signature';
}

const OPENAI = { limitParameter: 'max_completion_tokens', cacheKeyIn: 'prompt_cache_key' } as const;

/** All that is known of servers, by the name that a developer gives them. Their addresses say nothing: a gateway or an alias has its own. */
export const SERVERS = {
  openai: OPENAI,
  azure: OPENAI,
  xai: { cacheKeyIn: 'x-grok-conv-id' },
  'workers-ai': { cacheKeyIn: 'x-session-affinity' },
  deepseek: { wantsThoughts: 'field' },
  kimi: { wantsThoughts: 'field' },
  gemini: { wantsThoughts: 'signature' },
} as const satisfies Readonly<Record<string, ServerTraits>>;

/** A server of which something is known. */
export type ServerName = keyof typeof SERVERS;

/** Returns what is known of a server. */
export const serverTraits = (name: ServerName | undefined): ServerTraits =>
  name === undefined ? {} : SERVERS[name];
