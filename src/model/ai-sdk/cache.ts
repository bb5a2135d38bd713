import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { CacheMarks, ModelMessage, ModelRequest } from '../chat-model.ts';
import type { ProviderData } from '../parts.ts';
import { getAtPath, toReturnedOptions } from './provider-data.ts';
import { mergeOptions } from './settings.ts';
import type { SdkTraits } from './traits.ts';

interface CacheOptions {
  readonly mark?: ((prompt: LanguageModelV4Prompt, at: number) => void) | undefined;
  /** Marks the last of the tools that can have a mark, if the request caches them. */
  readonly markTools: (tools: Tools) => Tools;
  /** Provider options, which the settings of the request override. */
  readonly options: ProviderData;
  readonly headers: Pick<LanguageModelV4CallOptions, 'headers'>;
}

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;

const NO_CACHE_OPTIONS: CacheOptions = { markTools: (tools) => tools, options: {}, headers: {} };

/**
 * Converts the cache marks of a request to the form of its provider. `told` lists the messages that the model
 * receives.
 */
export function toCacheOptions(
  { cache: known }: SdkTraits,
  request: ModelRequest,
  told: readonly ModelMessage[],
): CacheOptions {
  const { cache } = request;
  const form = cache && known;
  if (!form) return NO_CACHE_OPTIONS;
  if (form.by === 'marks') return toMarkOptions(form.under, findMarkPlaces(form.under, request, told));
  const { key } = cache;
  if (key === undefined) return NO_CACHE_OPTIONS;
  return form.by === 'key'
    ? { ...NO_CACHE_OPTIONS, options: { [form.under]: { promptCacheKey: key } } }
    : { ...NO_CACHE_OPTIONS, headers: { headers: { [form.header]: key } } };
}

interface MarkPlaces {
  readonly tools: boolean;
  readonly system: boolean;
  /** The indexes of messages whose end is marked. */
  readonly messages: ReadonlySet<number>;
  readonly ttl: CacheMarks['ttl'];
}

const MAX_MARKS = 4;

/**
 * Returns the places to mark, within the provider's maximum. A mark that a developer sets at the end by
 * provider options counts, too.
 */
function findMarkPlaces(under: string, request: ModelRequest, told: readonly ModelMessage[]): MarkPlaces {
  const { cache = {}, tools: offered, settings } = request;
  const own = getAtPath(settings?.providerOptions, under);
  const atEnd = getAtPath(own, 'cacheControl') ?? getAtPath(own, 'cache_control');
  const isOwn = atEnd !== undefined;
  // The SDK's Bedrock provider supports no cache point after tools, and its OpenRouter provider no mark on
  // them.
  const tools = cache.tools === true && under === 'anthropic' && offered.some((tool) => !tool.providerTool);
  const system = cache.system === true && hasSystemText(told[0]);
  const ends = listCachedIndexes(request, told).filter((at) => !isOwn || at !== told.length - 1);
  const left = MAX_MARKS - Number(tools) - Number(system) - Number(isOwn);
  // Anthropic refuses a longer cache period after a shorter one.
  const ttl = getAtPath(atEnd, 'ttl') === '1h' ? '1h' : cache.ttl;
  return { tools, system, messages: new Set(ends.slice(0, left)), ttl };
}

/**
 * Returns the indexes, within `told`, of the messages to cache. A message that the model does not receive
 * yields the index of the one before it.
 */
function listCachedIndexes(
  { cache, messages }: ModelRequest,
  told: readonly ModelMessage[],
): readonly number[] {
  const kept = new Set(told);
  const ends = (cache?.messages ?? []).flatMap((index) => {
    const at = index < 0 ? messages.length + index : index;
    return messages[at] ? messages.slice(0, at + 1).filter((message) => kept.has(message)).length - 1 : [];
  });
  return [...new Set(ends)];
}

const hasSystemText = (first: ModelMessage | undefined): boolean =>
  first?.role === 'system' && !isBlank(first.text);

const isBlank = (text: string): boolean => text.trim() === '';

function toMarkOptions(under: 'anthropic' | 'bedrock' | 'openrouter', places: MarkPlaces): CacheOptions {
  // The provider defaults to five minutes, and older models accept no other value.
  const term = places.ttl === '1h' ? { ttl: places.ttl } : {};
  const mark: ProviderData =
    under === 'bedrock'
      ? { bedrock: { cachePoint: { type: 'default', ...term } } }
      : { [under]: { cacheControl: { type: 'ephemeral', ...term } } };
  return {
    ...NO_CACHE_OPTIONS,
    markTools: (tools) => (places.tools ? markLastTool(tools, mark) : tools),
    mark(prompt, at) {
      const [first] = prompt;
      if (at === 0 && places.system && first) setMark(first, mark);
      if (places.messages.has(at)) markEnd(prompt, mark);
    },
  };
}

/** Marks the last function tool. A tool that the provider runs itself cannot have a mark. */
function markLastTool(tools: Tools, mark: ProviderData): Tools {
  const last = tools.findLast(({ type }) => type === 'function');
  return tools.map((tool) => (tool === last ? { ...last, ...toReturnedOptions(mark) } : tool));
}

type PromptMessage = LanguageModelV4Prompt[number];
type MarkablePart = Pick<PromptMessage, 'providerOptions'>;

/**
 * Sets a mark, but keeps the options that the part already has, because its provider set them and requires
 * them.
 */
const setMark = (part: MarkablePart, mark: ProviderData): void => {
  // Both are JSON. The SDK's types only omit `readonly`.
  const own = (part.providerOptions ?? {}) as ProviderData;
  Object.assign(part, toReturnedOptions(mergeOptions(mark, own)));
};

/** Marks the last part that can hold a mark. */
function markEnd(prompt: LanguageModelV4Prompt, mark: ProviderData): void {
  for (const message of prompt.toReversed()) {
    if (message.role === 'system') continue;
    const part = message.content.findLast((one) => canHoldMark(one, message.role));
    if (!part) continue;
    setMark(part, mark);
    return;
  }
}

type PromptPart = Exclude<PromptMessage, { role: 'system' }>['content'][number];

/** Returns whether a part can have a mark. Anthropic refuses a mark on thoughts and on empty text. */
function canHoldMark(part: PromptPart, role: PromptMessage['role']): boolean {
  switch (part.type) {
    case 'text':
      return !isBlank(part.text);
    case 'file':
      return role === 'user';
    case 'tool-result':
      return role === 'tool';
    case 'tool-call':
      return part.providerExecuted !== true;
    default:
      return false;
  }
}
