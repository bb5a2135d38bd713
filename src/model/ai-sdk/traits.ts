import type { ChatModel } from '../chat-model.ts';
import type { ModelSettings } from '../settings.ts';
import { isRecord } from '../untrusted-json.ts';

/** What we must know of a provider of the SDK, since its interface does not say it. */
export interface ProviderTraits {
  /** Settings that it does not send to its server. */
  readonly lacks: readonly (keyof ModelSettings)[];
  /** The first words of the ids of tools that it runs itself, as far as that is known. */
  readonly runs: readonly string[] | 'any';
  /** Its own option for one call at a time, and the value that asks for it; absent where there is none. */
  readonly oneCall?: { readonly key: string; readonly value: boolean } | undefined;
  /** The name under which it reads options of its own. */
  readonly options: string;
  /** It hands the text of an earlier call's input on as it is. */
  readonly rawInput?: true | undefined;
  /** Its server keeps replies unless told otherwise, and is then sent references to what may be gone. */
  readonly stores?: true | undefined;
  /** It reads the effort under its own options, and leaves the SDK's unread. */
  readonly ownEffort?: true | undefined;
}

type Known = Omit<ProviderTraits, 'options' | 'runs'> & { readonly runs?: ProviderTraits['runs'] };

const CAMEL = { key: 'parallelToolCalls', value: false } as const;
const SNAKE = { key: 'parallel_tool_calls', value: false } as const;
const DISABLE = { key: 'disableParallelToolUse', value: true } as const;

/**
 * By what the name of a provider looks like; the first that fits. Providers are named `{provider}.{wire}`. The last word is
 * the name of its options, where that is not the provider's.
 */
const KNOWN: readonly (readonly [RegExp, Known, string?])[] = [
  [/\banthropic\b/, { lacks: ['seed'], oneCall: DISABLE, runs: ['anthropic'] }, 'anthropic'],
  [
    /^(?:openai|azure)\.responses/,
    { lacks: ['topK', 'seed', 'stop'], oneCall: CAMEL, runs: ['openai'], rawInput: true, stores: true },
  ],
  [/^(?:openai|azure)\./, { lacks: ['topK'], oneCall: CAMEL, rawInput: true }],
  [/^groq\b/, { lacks: ['topK'], oneCall: CAMEL, runs: ['groq'], rawInput: true }],
  [/^mistral\b/, { lacks: ['topK'], oneCall: CAMEL, runs: 'any', rawInput: true }],
  [/^xai\b/, { lacks: ['stop'], oneCall: CAMEL, runs: ['xai'] }],
  [/^openrouter\b/, { lacks: [], oneCall: SNAKE, runs: 'any', ownEffort: true }],
  [/^deepseek\b/, { lacks: ['topK', 'seed'] }],
  [/bedrock/, { lacks: ['seed'], runs: 'any' }],
  [/^workers-?ai\b/, { lacks: ['topK', 'seed', 'stop'] }],
  [/^google\.(?:generative-ai|vertex)|\bvertex\b/, { lacks: [], runs: ['google'] }],
  // Servers that speak as OpenAI's, of any name: what the adapter does not know of their options it sends on.
  [/\.chat$/, { lacks: ['topK'], oneCall: SNAKE, runs: 'any' }],
];

/** Answers what is known of the provider of this name. */
export function traitsOf(provider: string): ProviderTraits {
  const [, known = { lacks: [], runs: 'any' }, options] = KNOWN.find(([name]) => name.test(provider)) ?? [];
  return { runs: [], options: options ?? provider.split('.', 1)[0] ?? provider, ...known };
}

/** Which settings a provider of the SDK is known to refuse, or to change without a word; nothing for most. */
export const refusedBy = (provider: string): Pick<ChatModel, 'refuses'> =>
  /(?:^|\.)anthropic\b/.test(provider) ? { refuses: thinkingBesideForce } : {};

/** Anthropic lets no tool be forced while a model thinks; the SDK asks for `auto` in its place. */
const thinkingBesideForce = (settings: ModelSettings): string | undefined =>
  isForced(settings) && thinks(settings)
    ? "Anthropic forces no tool while a model thinks; use the toolChoice 'auto', or the reasoning 'none'"
    : undefined;

const isForced = ({ toolChoice }: ModelSettings): boolean =>
  toolChoice === 'required' || typeof toolChoice === 'object';

function thinks({ reasoning, providerOptions }: ModelSettings): boolean {
  const own = providerOptions?.anthropic;
  const thinking = isRecord(own) && isRecord(own.thinking) ? own.thinking.type : undefined;
  if (thinking !== undefined) return thinking !== 'disabled';
  return reasoning !== undefined && reasoning !== 'none';
}
