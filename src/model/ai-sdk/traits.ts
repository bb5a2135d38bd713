import type { ChatModel, MediaTaken, ModelMedia, WantedThoughts } from '../chat-model.ts';
import type { MadeBy } from '../parts.ts';
import type { ModelSettings } from '../settings.ts';
import type { SdkModel } from './specification.ts';

/** What we must know of a model of the SDK, since its interface does not say it. */
export interface SdkTraits {
  /** The name under which its provider reads options of its own. */
  readonly options: string;
  /** Settings that it does not send to its server. */
  readonly lacks: readonly (keyof ModelSettings)[];
  /** The first words of the ids of tools that it runs itself, as far as that is known. */
  readonly runs: readonly string[] | 'any';
  /** Its own option for one call at a time, and the value that asks for it; absent if it has none. */
  readonly oneCall?: { readonly key: string; readonly value: boolean } | undefined;
  /** It hands the text of an earlier call's input on as it is. */
  readonly rawInput?: true | undefined;
  /** Its server keeps replies by default, and is then sent references to what may be gone. */
  readonly stores?: true | undefined;
  /** It reads the effort under its own options, and leaves the SDK's unread. */
  readonly ownEffort?: true | undefined;
  /** Its server forces no tool while the model thinks. */
  readonly forcesNoThinker?: true | undefined;
  /** How it is told what to keep of a request; most models are told nothing. */
  readonly cache?: CacheForm | undefined;
  /** What its package sends and its server takes; `undefined` if that is not known. */
  readonly media?: ModelMedia | undefined;
  /** Whose form it has for tools that come and go in the conversation. Others are only given the list. */
  readonly toolChanges?: 'anthropic' | 'openai' | undefined;
  /** It signs what it thinks together with all that stands before. */
  readonly signsPrefix?: boolean | undefined;
  /** What each reply with calls must carry when it is given back. */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /** It is a server of any kind: it wants the thoughts that it has given before in this conversation. */
  readonly wantsItsOwn?: true | undefined;
  /** `reasoning` makes it think by a budget, and not as much as it likes. */
  readonly thinksByBudget?: boolean | undefined;
  /** It reads what models of its provider have thought whose names look like this. */
  readonly kin?: RegExp | undefined;
  /** Its treatment depends on its name, and this one says nothing. */
  readonly isUnnamed?: true | undefined;
}

/** A model of the SDK, with what is known of it. */
export interface KnownModel {
  readonly sdk: SdkModel;
  readonly traits: SdkTraits;
}

/** How a provider of the SDK is told what to keep; nothing of most. */
export type CacheForm =
  /** By marks under its options, at most four in a request. */
  | { readonly by: 'marks'; readonly under: 'anthropic' | 'bedrock' | 'openrouter' }
  /** By a key under its options. */
  | { readonly by: 'key'; readonly under: 'openai' | 'azure' | 'xai' }
  | { readonly by: 'header'; readonly header: string };

/** Models, and what is known of all of them. */
interface Row extends Partial<SdkTraits> {
  /** What the names of their providers look like, which are `{provider}.{wire}`. Defaults to all. */
  readonly of?: RegExp;
  /** Which names they have there. Defaults to all. */
  readonly named?: (modelId: string) => boolean;
}

const named =
  (pattern: RegExp) =>
  (modelId: string): boolean =>
    pattern.test(modelId);

const CLAUDE = /claude/i;
const VERSIONED = /claude-(fable|mythos|opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** The version of a Claude, as major and hundredths; 0 of one that is older, or that does not say it. */
const versionOf = (modelId: string): number => {
  const [, , major = '0', minor = '0'] = VERSIONED.exec(modelId) ?? [];
  return Number(major) + Number(minor) / 100;
};

/** From 5.5 on, and of Fable and Mythos from 5.1. */
const isNewClaude = (modelId: string): boolean =>
  versionOf(modelId) >= (/claude-(?:fable|mythos)/.test(modelId) ? 5.01 : 5.05);

const isBudgetClaude = (modelId: string): boolean => CLAUDE.test(modelId) && versionOf(modelId) < 4.06;

const isLoadingGpt = (modelId: string): boolean => {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?!\d)/.exec(modelId) ?? [];
  return Number(major) + Number(minor) / 100 >= 5.04;
};

const isOpenAI = named(/^(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d)/);

const CAMEL = { key: 'parallelToolCalls', value: false } as const;
const SNAKE = { key: 'parallel_tool_calls', value: false } as const;
const DISABLE = { key: 'disableParallelToolUse', value: true } as const;

const PHOTOS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const GEMINI_PHOTOS = ['image/png', 'image/jpeg', 'image/webp'];
const XAI_PHOTOS = ['image/png', 'image/jpeg'];
const PDF = 'application/pdf';
const SPEECH = ['audio/wav', 'audio/mpeg', 'audio/mp3'];
const AUDIO = ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac'].map((name) => `audio/${name}`);

const NOTHING: MediaTaken = { data: [], url: [] };
const bytes = (...data: readonly string[]): MediaTaken => ({ data, url: [] });
const alike = (...types: readonly string[]): MediaTaken => ({ data: types, url: types });
const everywhere = (taken: MediaTaken): ModelMedia => ({ message: taken, result: taken });
const messagesOnly = (taken: MediaTaken): ModelMedia => ({ message: taken, result: NOTHING });

const gemini = (result: MediaTaken): ModelMedia => ({
  message: {
    data: [...GEMINI_PHOTOS, 'image/heic', 'image/heif', PDF, ...AUDIO],
    url: [...GEMINI_PHOTOS, PDF],
  },
  result,
});

const GOOGLE = /^google\.(?:generative-ai|vertex)(?!.*interactions)/;

/**
 * All that is known of providers and models, by what their names look like. Each trait is that of the first row that fits and has it,
 * `undefined` included. `media` holds nothing that a package refuses, drops without an error, or writes out as JSON.
 */
const ROWS: readonly Row[] = [
  // Claude, wherever it is served.
  { named: isNewClaude, signsPrefix: true },
  { named: isBudgetClaude, thinksByBudget: true },
  { of: /\banthropic\b/, named: isNewClaude, toolChanges: 'anthropic', wantsThoughts: undefined },
  { of: /\banthropic\b/, named: (modelId) => !CLAUDE.test(modelId), isUnnamed: true, thinksByBudget: true },
  { of: /\banthropic\b|bedrock/, named: named(CLAUDE), kin: CLAUDE },
  { of: /bedrock/, named: isNewClaude, wantsThoughts: undefined },
  { of: /bedrock|^openrouter\b/, named: named(CLAUDE), wantsThoughts: 'budget' },
  { of: /^anthropic\b/, media: everywhere(alike(...PHOTOS, PDF)) },
  {
    of: /\banthropic\b/,
    options: 'anthropic',
    lacks: ['seed'],
    oneCall: DISABLE,
    runs: ['anthropic'],
    forcesNoThinker: true,
    cache: { by: 'marks', under: 'anthropic' },
    // Others that serve Claude fetch nothing.
    media: everywhere(bytes(...PHOTOS, PDF)),
    wantsThoughts: 'budget',
  },

  // Models of OpenAI take tools at a place of the conversation from GPT-5.4 on, by the interface of responses alone.
  { of: /^openai\.responses/, named: isLoadingGpt, toolChanges: 'openai' },
  // Other servers are asked by the same provider, and some of them refuse a field that they do not know.
  { of: /^openai\./, named: isOpenAI, cache: { by: 'key', under: 'openai' } },
  { of: /^azure\./, cache: { by: 'key', under: 'azure' } },
  { of: /^azure\./, named: (modelId) => !isOpenAI(modelId), isUnnamed: true },
  {
    of: /^(?:openai|azure)\.responses/,
    lacks: ['topK', 'seed', 'stop'],
    oneCall: CAMEL,
    runs: ['openai'],
    rawInput: true,
    stores: true,
    media: everywhere(alike(...PHOTOS, PDF)),
  },
  // Models that hear see nothing, and the others hear nothing.
  { of: /^(?:openai|azure)\.chat/, named: named(/audio/), media: messagesOnly(bytes(...SPEECH)) },
  { of: /^(?:openai|azure)\.chat/, media: messagesOnly({ data: [...PHOTOS, PDF], url: PHOTOS }) },
  {
    of: /^(?:openai|azure)\./,
    lacks: ['topK'],
    oneCall: CAMEL,
    runs: [],
    rawInput: true,
    wantsItsOwn: undefined,
  },

  // Before Gemini 3 the SDK puts files beside a result, and leaves the result out that has no words.
  {
    of: GOOGLE,
    named: named(/(?:^|[/.])gemini-(?:[3-9]|\d\d)/i),
    media: gemini(bytes(...GEMINI_PHOTOS, PDF)),
  },
  { of: GOOGLE, media: gemini(NOTHING) },
  {
    of: /^google\.(?:generative-ai|vertex)|\bvertex\b/,
    lacks: [],
    runs: ['google'],
    oneCall: undefined,
    wantsThoughts: undefined,
    wantsItsOwn: undefined,
  },

  {
    of: /^groq\b/,
    lacks: ['topK'],
    oneCall: CAMEL,
    runs: ['groq'],
    rawInput: true,
    media: messagesOnly(alike(...PHOTOS)),
    wantsItsOwn: undefined,
  },
  {
    of: /^mistral\b/,
    lacks: ['topK'],
    oneCall: CAMEL,
    runs: 'any',
    rawInput: true,
    media: messagesOnly(alike(...PHOTOS, PDF)),
    wantsItsOwn: undefined,
  },
  {
    of: /^xai\.responses/,
    cache: { by: 'key', under: 'xai' },
    media: {
      message: { data: XAI_PHOTOS, url: [...XAI_PHOTOS, PDF] },
      result: alike(...XAI_PHOTOS),
    },
  },
  {
    of: /^xai\b/,
    lacks: ['stop'],
    oneCall: CAMEL,
    runs: ['xai'],
    cache: { by: 'header', header: 'x-grok-conv-id' },
    wantsItsOwn: undefined,
  },
  { of: /^openrouter\b/, named: named(/^~?anthropic\//), cache: { by: 'marks', under: 'openrouter' } },
  {
    of: /^openrouter\b/,
    lacks: [],
    oneCall: SNAKE,
    runs: 'any',
    ownEffort: true,
    media: everywhere({ data: [...PHOTOS, PDF, ...AUDIO, 'audio/m4a'], url: [...PHOTOS, PDF] }),
    wantsThoughts: undefined,
    wantsItsOwn: undefined,
  },
  // Its package fills in what is missing.
  {
    of: /^deepseek\b/,
    lacks: ['topK', 'seed'],
    runs: [],
    oneCall: undefined,
    media: everywhere(alike(...PHOTOS)),
    wantsItsOwn: undefined,
  },
  // Converse refuses marks to models that do not cache: older ones of Claude, and most others.
  {
    of: /bedrock/,
    named: named(/claude-(?:(?:fable|mythos|opus|sonnet|haiku)-\d|3-7-|3-5-haiku)/),
    cache: { by: 'marks', under: 'bedrock' },
  },
  { of: /^amazon-bedrock\b/, media: everywhere(bytes(...PHOTOS, PDF)) },
  { of: /bedrock/, lacks: ['seed'], runs: 'any' },
  { of: /^workers-?ai\.chat/, media: messagesOnly(bytes(...PHOTOS)) },
  {
    of: /^workers-?ai\b/,
    lacks: ['topK', 'seed', 'stop'],
    runs: [],
    oneCall: undefined,
    wantsItsOwn: undefined,
  },

  // Servers that speak as OpenAI's, of any name: what the adapter does not know of their options it sends on.
  { of: /\.chat$/, named: named(/\bkimi-k\d/i), wantsThoughts: 'field' },
  { of: /\.chat$/, named: named(/\bgemini-(?:[3-9]|\d\d)/i), wantsThoughts: 'signature' },
  { of: /\.chat$/, lacks: ['topK'], oneCall: SNAKE, runs: 'any', wantsItsOwn: true },
  { lacks: [], runs: 'any' },
];

/** What a developer says of a model in the place of the table. */
export interface ToldTraits {
  /**
   * The name of the model that this one is, such as `claude-opus-5-5`. Defaults to its own, which says nothing of an alias, or of a
   * deployment on Azure.
   */
  readonly like?: string | undefined;
  /**
   * It signs what it thinks together with all that stands before, as Claude does from 5.5 on: what it thought behind a prefix that has
   * changed is left out.
   */
  readonly signsPrefix?: boolean | undefined;
  /** As `ChatModel.wantsThoughts`; `false`: nothing. */
  readonly wantsThoughts?: WantedThoughts | false | undefined;
}

/** Returns what is known of a model: what a developer says of it, and else what its names tell. */
export function sdkTraitsOf(
  {
    specificationVersion,
    provider,
    modelId,
  }: Pick<SdkModel, 'specificationVersion' | 'provider' | 'modelId'>,
  told: ToldTraits = {},
): SdkTraits {
  checkTold(told);
  const { like = modelId, signsPrefix, wantsThoughts } = told;
  const rows = ROWS.filter(({ of, named: fits }) => (of?.test(provider) ?? true) && (fits?.(like) ?? true));
  const { of: _, named: __, ...traits }: Row = Object.assign({}, ...rows.toReversed());
  return {
    options: provider.split('.', 1)[0] ?? provider,
    lacks: [],
    runs: [],
    ...traits,
    // Packages of the older specification send other things.
    ...(specificationVersion !== 'v4' && { media: undefined }),
    ...(signsPrefix !== undefined && { signsPrefix, isUnnamed: undefined }),
    ...(signsPrefix !== undefined &&
      /\banthropic\b/.test(provider) && { toolChanges: signsPrefix ? 'anthropic' : undefined }),
    ...(wantsThoughts !== undefined && { wantsThoughts: wantsThoughts || undefined, wantsItsOwn: undefined }),
    ...(wantsThoughts === 'budget' && { thinksByBudget: true }),
  };
}

/** @throws TypeError for what is neither of the values of its type: it decides what a provider is sent. */
function checkTold({ like = '-', signsPrefix = false, wantsThoughts = false }: ToldTraits): void {
  if (typeof like !== 'string' || like === '') throw new TypeError("'like' is not the name of a model.");
  if (typeof signsPrefix !== 'boolean') throw new TypeError("'signsPrefix' is not true or false.");
  const known: readonly unknown[] = ['budget', 'field', 'signature', false];
  if (!known.includes(wantsThoughts))
    throw new TypeError("'wantsThoughts' is not 'budget', 'field', 'signature' or false.");
}

/** Tells of which other models' thoughts a model reads. */
export const readerOf = (
  { provider }: Pick<SdkModel, 'provider'>,
  { kin }: SdkTraits,
): Pick<ChatModel, 'readsThoughtsOf'> =>
  kin ? { readsThoughtsOf: (maker: MadeBy) => maker.provider === provider && kin.test(maker.model) } : {};
