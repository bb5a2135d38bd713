import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { CacheMarks, ModelMessage, ModelRequest } from '../chat-model.ts';
import type { ProviderData } from '../parts.ts';
import { optionsOf, within } from './provider-data.ts';
import { mergeOptions } from './settings.ts';
import type { SdkTraits } from './traits.ts';

/** How a request is told to its model's provider, in this regard. */
interface ToldCache {
  readonly mark?: ((prompt: LanguageModelV4Prompt, at: number) => void) | undefined;
  /** The tools, of which the last that can be has a mark where they are to be kept. */
  readonly markTools: (tools: Tools) => Tools;
  /** Hold unless a setting says otherwise. */
  readonly options: ProviderData;
  readonly headers: Pick<LanguageModelV4CallOptions, 'headers'>;
}

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;

const UNMARKED: ToldCache = { markTools: (tools) => tools, options: {}, headers: {} };

/** Puts what is to be kept of a request into the form of the model. `told`: those of its messages that the model is told. */
export function toldCache(
  { cache: known }: SdkTraits,
  request: ModelRequest,
  told: readonly ModelMessage[],
): ToldCache {
  const { cache } = request;
  const form = cache && known;
  if (!form) return UNMARKED;
  if (form.by === 'marks') return marked(form.under, placesOf(form.under, request, told));
  const { key } = cache;
  if (key === undefined) return UNMARKED;
  return form.by === 'key'
    ? { ...UNMARKED, options: { [form.under]: { promptCacheKey: key } } }
    : { ...UNMARKED, headers: { headers: { [form.header]: key } } };
}

/** What gets a mark. */
interface Places {
  readonly tools: boolean;
  readonly system: boolean;
  /** The ends of these messages. */
  readonly messages: ReadonlySet<number>;
  readonly ttl: CacheMarks['ttl'];
}

const MOST = 4;

/** No more than the provider allows, with the mark of its end that a developer may have set by the options of the request. */
function placesOf(under: string, request: ModelRequest, told: readonly ModelMessage[]): Places {
  const { cache = {}, tools: offered, settings } = request;
  const own = within(settings?.providerOptions, under);
  const atEnd = within(own, 'cacheControl') ?? within(own, 'cache_control');
  const isOwn = atEnd !== undefined;
  // A cache point behind tools is unknown to the SDK's provider of Bedrock, and a mark on them to that of OpenRouter.
  const tools = cache.tools === true && under === 'anthropic' && offered.some((tool) => !tool.providerTool);
  const system = cache.system === true && isTold(told[0]);
  const ends = endsIn(request, told).filter((at) => !isOwn || at !== told.length - 1);
  const left = MOST - Number(tools) - Number(system) - Number(isOwn);
  // Anthropic refuses what is kept for longer behind what is kept for less.
  const ttl = within(atEnd, 'ttl') === '1h' ? '1h' : cache.ttl;
  return { tools, system, messages: new Set(ends.slice(0, left)), ttl };
}

/** Where the messages that are to be kept stand among those that the model is told; of one that it is not, the one before. */
function endsIn({ cache, messages }: ModelRequest, told: readonly ModelMessage[]): readonly number[] {
  const kept = new Set(told);
  const ends = (cache?.messages ?? []).flatMap((index) => {
    const at = index < 0 ? messages.length + index : index;
    return messages[at] ? messages.slice(0, at + 1).filter((message) => kept.has(message)).length - 1 : [];
  });
  return [...new Set(ends)];
}

const isTold = (first: ModelMessage | undefined): boolean => first?.role === 'system' && !isBlank(first.text);

const isBlank = (text: string): boolean => text.trim() === '';

function marked(under: 'anthropic' | 'bedrock' | 'openrouter', places: Places): ToldCache {
  // Five minutes are what holds where nothing is said, and older models know nothing else.
  const term = places.ttl === '1h' ? { ttl: places.ttl } : {};
  const mark: ProviderData =
    under === 'bedrock'
      ? { bedrock: { cachePoint: { type: 'default', ...term } } }
      : { [under]: { cacheControl: { type: 'ephemeral', ...term } } };
  return {
    ...UNMARKED,
    markTools: (tools) => (places.tools ? withMark(tools, mark) : tools),
    mark(prompt, at) {
      const [first] = prompt;
      if (at === 0 && places.system && first) setMark(first, mark);
      if (places.messages.has(at)) markEnd(prompt, mark);
    },
  };
}

/** A tool that the provider runs itself can hold no mark. */
function withMark(tools: Tools, mark: ProviderData): Tools {
  const last = tools.findLast(({ type }) => type === 'function');
  return tools.map((tool) => (tool === last ? { ...last, ...optionsOf(mark) } : tool));
}

type PromptMessage = LanguageModelV4Prompt[number];
type Markable = Pick<PromptMessage, 'providerOptions'>;

/** Over nothing that the part has: its provider gave it, and wants it back. */
const setMark = (part: Markable, mark: ProviderData): void => {
  // Both are JSON: the types of the SDK only leave out that it may be read-only.
  const own = (part.providerOptions ?? {}) as ProviderData;
  Object.assign(part, optionsOf(mergeOptions(mark, own)));
};

/** Marks the last part that can hold a mark. */
function markEnd(prompt: LanguageModelV4Prompt, mark: ProviderData): void {
  for (const message of prompt.toReversed()) {
    if (message.role === 'system') continue;
    const part = message.content.findLast((one) => holdsMark(one, message.role));
    if (!part) continue;
    setMark(part, mark);
    return;
  }
}

type PromptPart = Exclude<PromptMessage, { role: 'system' }>['content'][number];

/** Anthropic refuses a mark on thoughts and on empty text. */
function holdsMark(part: PromptPart, role: PromptMessage['role']): boolean {
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
