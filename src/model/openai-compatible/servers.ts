import type { LimitParameter } from './request-body.ts';

/** The differences between a known server and an unknown one. */
interface ServerTraits {
  /** Its field for the maximum number of tokens in a reply. Defaults to `max_tokens`. */
  readonly limitParameter?: LimitParameter;
  /**
   * The place for the key of a conversation: a field of the body, or a header if the name begins with `x-`.
   * Other servers may refuse it.
   */
  readonly cacheKeyIn?: string;
  /** The data that it requires in replies with calls. */
  readonly wantsThoughts?: 'field' | 'signature';
}

const OPENAI = { limitParameter: 'max_completion_tokens', cacheKeyIn: 'prompt_cache_key' } as const;

/**
 * The known servers, by the name that a developer sets. They are not recognized by URL, because a gateway or
 * an alias has its own.
 */
export const SERVERS = {
  openai: OPENAI,
  azure: OPENAI,
  xai: { cacheKeyIn: 'x-grok-conv-id' },
  'workers-ai': { cacheKeyIn: 'x-session-affinity' },
  deepseek: { wantsThoughts: 'field' },
  kimi: { wantsThoughts: 'field' },
  gemini: { wantsThoughts: 'signature' },
} as const satisfies Readonly<Record<string, ServerTraits>>;

/** A known server. */
export type ServerName = keyof typeof SERVERS;

export const getServerTraits = (name: ServerName | undefined): ServerTraits =>
  name === undefined ? {} : SERVERS[name];
