import type { AcceptedMedia, ChatModel, ModelMedia, WantedThoughts } from '../chat-model.ts';
import type { ReplyMaker } from '../parts.ts';
import type { ModelSettings } from '../settings.ts';
import type { SdkModel } from './specification.ts';

/** The properties of a model of the SDK that its interface does not expose. */
export interface SdkTraits {
  /** The name under which its provider reads its own options. */
  readonly options: string;
  /** The settings that it does not send to its server. */
  readonly lacks: readonly (keyof ModelSettings)[];
  /** The id prefixes of the tools that it runs itself. `any` if they are not known. */
  readonly runs: readonly string[] | 'any';
  /** The provider's own option for one call at a time, and its value. Absent if it has none. */
  readonly oneCall?: { readonly key: string; readonly value: boolean } | undefined;
  /** `true` if it sends the input of an earlier call as unchanged text. */
  readonly rawInput?: true | undefined;
  /**
   * `true` if its server stores replies by default. It then receives references, whose targets can be gone.
   */
  readonly stores?: true | undefined;
  /** `true` if it reads the effort from its own options, and ignores the SDK's. */
  readonly ownEffort?: true | undefined;
  /** `true` if its server cannot force a tool while the model thinks. */
  readonly forcesNoThinker?: true | undefined;
  /** The form of cache marks. Absent for most models. */
  readonly cache?: CacheForm | undefined;
  /** The files that both its package and its server support; `undefined` if that is not known. */
  readonly media?: ModelMedia | undefined;
  /** The form of tool changes within the conversation. Models without a form only receive the tool list. */
  readonly toolChanges?: 'anthropic' | 'openai' | undefined;
  /** `true` if it signs its thoughts together with everything before them. */
  readonly signsPrefix?: boolean | undefined;
  /** The data that each reply with calls must carry in a later request. */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /**
   * `true` for an arbitrary server, which requires the thoughts that it sent earlier in this conversation.
   */
  readonly wantsItsOwn?: true | undefined;
  /** `true` if `reasoning` makes it think by a budget, and not adaptively. */
  readonly thinksByBudget?: boolean | undefined;
  /** A pattern for the names of other models of its provider whose thoughts it reads. */
  readonly kin?: RegExp | undefined;
  /** `true` if its traits depend on its name, but the name identifies no known model. */
  readonly isUnnamed?: true | undefined;
}

/** A model of the SDK with its traits. */
export interface KnownModel {
  readonly sdk: SdkModel;
  readonly traits: SdkTraits;
}

/** The form of a provider's cache options. */
export type CacheForm =
  /** Marks under its options, at most four in a request. */
  | { readonly by: 'marks'; readonly under: 'anthropic' | 'bedrock' | 'openrouter' }
  /** A key under its options. */
  | { readonly by: 'key'; readonly under: 'openai' | 'azure' | 'xai' }
  | { readonly by: 'header'; readonly header: string };

/** A row of the table: a set of models and their shared traits. */
interface TraitRow extends Partial<SdkTraits> {
  /** A pattern for provider names, which have the form `{provider}.{wire}`. Defaults to all. */
  readonly of?: RegExp;
  /** Returns whether a model id is in the set. Defaults to all. */
  readonly named?: (modelId: string) => boolean;
}

const createNameTest =
  (pattern: RegExp) =>
  (modelId: string): boolean =>
    pattern.test(modelId);

const CLAUDE_PATTERN = /claude/i;
const CLAUDE_VERSION = /claude-(fable|mythos|opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/**
 * Returns the version of a Claude model as major and hundredths. 0 for an older one, or if the name has no
 * version.
 */
const parseClaudeVersion = (modelId: string): number => {
  const [, , major = '0', minor = '0'] = CLAUDE_VERSION.exec(modelId) ?? [];
  return Number(major) + Number(minor) / 100;
};

/** Returns whether a Claude model has at least version 5.5, or 5.1 for Fable and Mythos. */
const isNewClaude = (modelId: string): boolean =>
  parseClaudeVersion(modelId) >= (/claude-(?:fable|mythos)/.test(modelId) ? 5.01 : 5.05);

const isBudgetClaude = (modelId: string): boolean =>
  CLAUDE_PATTERN.test(modelId) && parseClaudeVersion(modelId) < 4.06;

const isLoadingGpt = (modelId: string): boolean => {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?!\d)/.exec(modelId) ?? [];
  return Number(major) + Number(minor) / 100 >= 5.04;
};

const isOpenAI = createNameTest(/^(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d)/);

const CAMEL_CASE_OPTION = { key: 'parallelToolCalls', value: false } as const;
const SNAKE_CASE_OPTION = { key: 'parallel_tool_calls', value: false } as const;
const DISABLE_OPTION = { key: 'disableParallelToolUse', value: true } as const;

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const GEMINI_IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const XAI_IMAGE_TYPES = ['image/png', 'image/jpeg'];
const PDF = 'application/pdf';
const SPEECH_TYPES = ['audio/wav', 'audio/mpeg', 'audio/mp3'];
const AUDIO_TYPES = ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac'].map((name) => `audio/${name}`);

const NO_MEDIA: AcceptedMedia = { data: [], url: [] };
const createBytesMedia = (...data: readonly string[]): AcceptedMedia => ({ data, url: [] });
const createBytesAndUrlsMedia = (...types: readonly string[]): AcceptedMedia => ({ data: types, url: types });
const createModelMedia = (taken: AcceptedMedia): ModelMedia => ({ message: taken, result: taken });
const createMessageMedia = (taken: AcceptedMedia): ModelMedia => ({ message: taken, result: NO_MEDIA });

const createGeminiMedia = (result: AcceptedMedia): ModelMedia => ({
  message: {
    data: [...GEMINI_IMAGE_TYPES, 'image/heic', 'image/heif', PDF, ...AUDIO_TYPES],
    url: [...GEMINI_IMAGE_TYPES, PDF],
  },
  result,
});

const GOOGLE_PROVIDER = /^google\.(?:generative-ai|vertex)(?!.*interactions)/;

/**
 * The traits of all known providers and models, by patterns of their names. The first matching row with a
 * trait decides it, even if its value is `undefined`. `media` excludes files that a package refuses, silently
 * drops, or writes as JSON.
 */
const TRAIT_ROWS: readonly TraitRow[] = [
  // Claude on any server.
  { named: isNewClaude, signsPrefix: true },
  { named: isBudgetClaude, thinksByBudget: true },
  { of: /\banthropic\b/, named: isNewClaude, toolChanges: 'anthropic', wantsThoughts: undefined },
  {
    of: /\banthropic\b/,
    named: (modelId) => !CLAUDE_PATTERN.test(modelId),
    isUnnamed: true,
    thinksByBudget: true,
  },
  { of: /\banthropic\b|bedrock/, named: createNameTest(CLAUDE_PATTERN), kin: CLAUDE_PATTERN },
  { of: /bedrock/, named: isNewClaude, wantsThoughts: undefined },
  { of: /bedrock|^openrouter\b/, named: createNameTest(CLAUDE_PATTERN), wantsThoughts: 'budget' },
  { of: /^anthropic\b/, media: createModelMedia(createBytesAndUrlsMedia(...IMAGE_TYPES, PDF)) },
  {
    of: /\banthropic\b/,
    options: 'anthropic',
    lacks: ['seed'],
    oneCall: DISABLE_OPTION,
    runs: ['anthropic'],
    forcesNoThinker: true,
    cache: { by: 'marks', under: 'anthropic' },
    // Other servers of Claude cannot fetch URLs.
    media: createModelMedia(createBytesMedia(...IMAGE_TYPES, PDF)),
    wantsThoughts: 'budget',
  },

  // OpenAI's models accept tools within the conversation from GPT-5.4 on, and only through the Responses API.
  { of: /^openai\.responses/, named: isLoadingGpt, toolChanges: 'openai' },
  // The same provider package is used for other servers, some of which refuse unknown fields.
  { of: /^openai\./, named: isOpenAI, cache: { by: 'key', under: 'openai' } },
  { of: /^azure\./, cache: { by: 'key', under: 'azure' } },
  { of: /^azure\./, named: (modelId) => !isOpenAI(modelId), isUnnamed: true },
  {
    of: /^(?:openai|azure)\.responses/,
    lacks: ['topK', 'seed', 'stop'],
    oneCall: CAMEL_CASE_OPTION,
    runs: ['openai'],
    rawInput: true,
    stores: true,
    media: createModelMedia(createBytesAndUrlsMedia(...IMAGE_TYPES, PDF)),
  },
  // Audio models accept no images, and the others accept no audio.
  {
    of: /^(?:openai|azure)\.chat/,
    named: createNameTest(/audio/),
    media: createMessageMedia(createBytesMedia(...SPEECH_TYPES)),
  },
  {
    of: /^(?:openai|azure)\.chat/,
    media: createMessageMedia({ data: [...IMAGE_TYPES, PDF], url: IMAGE_TYPES }),
  },
  {
    of: /^(?:openai|azure)\./,
    lacks: ['topK'],
    oneCall: CAMEL_CASE_OPTION,
    runs: [],
    rawInput: true,
    wantsItsOwn: undefined,
  },

  // Before Gemini 3 the SDK moves files out of a result, and drops a result without text.
  {
    of: GOOGLE_PROVIDER,
    named: createNameTest(/(?:^|[/.])gemini-(?:[3-9]|\d\d)/i),
    media: createGeminiMedia(createBytesMedia(...GEMINI_IMAGE_TYPES, PDF)),
  },
  { of: GOOGLE_PROVIDER, media: createGeminiMedia(NO_MEDIA) },
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
    oneCall: CAMEL_CASE_OPTION,
    runs: ['groq'],
    rawInput: true,
    media: createMessageMedia(createBytesAndUrlsMedia(...IMAGE_TYPES)),
    wantsItsOwn: undefined,
  },
  {
    of: /^mistral\b/,
    lacks: ['topK'],
    oneCall: CAMEL_CASE_OPTION,
    runs: 'any',
    rawInput: true,
    media: createMessageMedia(createBytesAndUrlsMedia(...IMAGE_TYPES, PDF)),
    wantsItsOwn: undefined,
  },
  {
    of: /^xai\.responses/,
    cache: { by: 'key', under: 'xai' },
    media: {
      message: { data: XAI_IMAGE_TYPES, url: [...XAI_IMAGE_TYPES, PDF] },
      result: createBytesAndUrlsMedia(...XAI_IMAGE_TYPES),
    },
  },
  {
    of: /^xai\b/,
    lacks: ['stop'],
    oneCall: CAMEL_CASE_OPTION,
    runs: ['xai'],
    cache: { by: 'header', header: 'x-grok-conv-id' },
    wantsItsOwn: undefined,
  },
  {
    of: /^openrouter\b/,
    named: createNameTest(/^~?anthropic\//),
    cache: { by: 'marks', under: 'openrouter' },
  },
  {
    of: /^openrouter\b/,
    lacks: [],
    oneCall: SNAKE_CASE_OPTION,
    runs: 'any',
    ownEffort: true,
    media: createModelMedia({
      data: [...IMAGE_TYPES, PDF, ...AUDIO_TYPES, 'audio/m4a'],
      url: [...IMAGE_TYPES, PDF],
    }),
    wantsThoughts: undefined,
    wantsItsOwn: undefined,
  },
  // Its package fills in missing thoughts.
  {
    of: /^deepseek\b/,
    lacks: ['topK', 'seed'],
    runs: [],
    oneCall: undefined,
    media: createModelMedia(createBytesAndUrlsMedia(...IMAGE_TYPES)),
    wantsItsOwn: undefined,
  },
  // Converse refuses marks for models without a cache: older versions of Claude, and most others.
  {
    of: /bedrock/,
    named: createNameTest(/claude-(?:(?:fable|mythos|opus|sonnet|haiku)-\d|3-7-|3-5-haiku)/),
    cache: { by: 'marks', under: 'bedrock' },
  },
  { of: /^amazon-bedrock\b/, media: createModelMedia(createBytesMedia(...IMAGE_TYPES, PDF)) },
  { of: /bedrock/, lacks: ['seed'], runs: 'any' },
  { of: /^workers-?ai\.chat/, media: createMessageMedia(createBytesMedia(...IMAGE_TYPES)) },
  {
    of: /^workers-?ai\b/,
    lacks: ['topK', 'seed', 'stop'],
    runs: [],
    oneCall: undefined,
    wantsItsOwn: undefined,
  },

  // OpenAI-compatible servers with any name. The adapter passes on options that it does not know.
  { of: /\.chat$/, named: createNameTest(/\bkimi-k\d/i), wantsThoughts: 'field' },
  { of: /\.chat$/, named: createNameTest(/\bgemini-(?:[3-9]|\d\d)/i), wantsThoughts: 'signature' },
  { of: /\.chat$/, lacks: ['topK'], oneCall: SNAKE_CASE_OPTION, runs: 'any', wantsItsOwn: true },
  { lacks: [], runs: 'any' },
];

/** Traits that a developer sets, which override the table. */
export interface TraitOverrides {
  /**
   * The name of the model behind this one, such as `claude-opus-5-5`. Set it for an alias or for a deployment
   * on Azure. Defaults to the model's own name.
   */
  readonly like?: string | undefined;
  /**
   * `true` if it signs its thoughts together with everything before them, as Claude does from 5.5 on.
   * Thoughts whose prefix has changed are then left out.
   */
  readonly signsPrefix?: boolean | undefined;
  /** See `ChatModel.wantsThoughts`. `false` means that the model needs no thoughts. */
  readonly wantsThoughts?: WantedThoughts | false | undefined;
}

/** Returns the traits of a model: the developer's values, and the table's for all others. */
export function findSdkTraits(
  {
    specificationVersion,
    provider,
    modelId,
  }: Pick<SdkModel, 'specificationVersion' | 'provider' | 'modelId'>,
  told: TraitOverrides = {},
): SdkTraits {
  checkOverrides(told);
  const { like = modelId, signsPrefix, wantsThoughts } = told;
  const rows = TRAIT_ROWS.filter(
    ({ of, named: fits }) => (of?.test(provider) ?? true) && (fits?.(like) ?? true),
  );
  const { of: _, named: __, ...traits }: TraitRow = Object.assign({}, ...rows.toReversed());
  return {
    options: provider.split('.', 1)[0] ?? provider,
    lacks: [],
    runs: [],
    ...traits,
    // Packages of the older specification support other files.
    ...(specificationVersion !== 'v4' && { media: undefined }),
    ...(signsPrefix !== undefined && { signsPrefix, isUnnamed: undefined }),
    ...(signsPrefix !== undefined &&
      /\banthropic\b/.test(provider) && { toolChanges: signsPrefix ? 'anthropic' : undefined }),
    ...(wantsThoughts !== undefined && { wantsThoughts: wantsThoughts || undefined, wantsItsOwn: undefined }),
    ...(wantsThoughts === 'budget' && { thinksByBudget: true }),
  };
}

/**
 * Checks traits from the developer, because they decide the data that a provider receives.
 *
 * @throws TypeError for a value outside the type.
 */
function checkOverrides({ like = '-', signsPrefix = false, wantsThoughts = false }: TraitOverrides): void {
  if (typeof like !== 'string' || like === '') throw new TypeError("'like' must be the name of a model.");
  if (typeof signsPrefix !== 'boolean') throw new TypeError("'signsPrefix' must be true or false.");
  const known: readonly unknown[] = ['budget', 'field', 'signature', false];
  if (!known.includes(wantsThoughts))
    throw new TypeError("'wantsThoughts' must be 'budget', 'field', 'signature' or false.");
}

/** Returns the function that recognizes other models whose thoughts this model reads. */
export const getThoughtReaderTraits = (
  { provider }: Pick<SdkModel, 'provider'>,
  { kin }: SdkTraits,
): Pick<ChatModel, 'readsThoughtsOf'> =>
  kin ? { readsThoughtsOf: (maker: ReplyMaker) => maker.provider === provider && kin.test(maker.model) } : {};
