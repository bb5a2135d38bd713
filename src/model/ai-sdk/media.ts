import { type MediaTaken, ModelError, type ModelMedia, type ModelMessage } from '../chat-model.ts';
import { namedFile, takes } from '../given-to.ts';
import type { MessageFile } from '../parts.ts';
import { isRecord } from '../untrusted-json.ts';
import type { SdkModel } from './specification.ts';

const PHOTOS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PDF = 'application/pdf';
const SPEECH = ['audio/wav', 'audio/mpeg', 'audio/mp3'];
const AUDIO = ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac'].map((name) => `audio/${name}`);
const GEMINI_PHOTOS = ['image/png', 'image/jpeg', 'image/webp'];

const NOTHING: MediaTaken = { data: [], url: [] };
const bytes = (...data: readonly string[]): MediaTaken => ({ data, url: [] });
const alike = (...types: readonly string[]): MediaTaken => ({ data: types, url: types });
const everywhere = (taken: MediaTaken): ModelMedia => ({ message: taken, result: taken });
const messagesOnly = (taken: MediaTaken): ModelMedia => ({ message: taken, result: NOTHING });

/** Models that hear see nothing, and the others hear nothing. */
const openAIChat = (modelId: string): ModelMedia =>
  messagesOnly(/audio/.test(modelId) ? bytes(...SPEECH) : { data: [...PHOTOS, PDF], url: PHOTOS });

/** Before Gemini 3 the SDK puts files beside a result, and leaves the result out that has no words. */
const gemini = (modelId: string): ModelMedia => {
  const [, major = '0'] = /(?:^|[/.])gemini-(\d+)/i.exec(modelId) ?? [];
  return {
    message: {
      data: [...GEMINI_PHOTOS, 'image/heic', 'image/heif', PDF, ...AUDIO],
      url: [...GEMINI_PHOTOS, PDF],
    },
    result: Number(major) >= 3 ? bytes(...GEMINI_PHOTOS, PDF) : NOTHING,
  };
};

/**
 * What the package of a provider sends and its server takes, by what the provider's name looks like; the first that fits. Here
 * is nothing that a package refuses, drops without an error, or writes out as JSON.
 */
const KNOWN: readonly (readonly [RegExp, ModelMedia | ((modelId: string) => ModelMedia)])[] = [
  [/^anthropic\b/, everywhere(alike(...PHOTOS, PDF))],
  // Others that serve Claude fetch nothing.
  [/\banthropic\b/, everywhere(bytes(...PHOTOS, PDF))],
  [/^(?:openai|azure)\.responses/, everywhere(alike(...PHOTOS, PDF))],
  [/^(?:openai|azure)\.chat/, openAIChat],
  [/^google\.(?:generative-ai|vertex)(?!.*interactions)/, gemini],
  [/^deepseek\b/, everywhere(alike(...PHOTOS))],
  [/^groq\b/, messagesOnly(alike(...PHOTOS))],
  [/^mistral\b/, messagesOnly(alike(...PHOTOS, PDF))],
  [
    /^xai\.responses/,
    {
      message: { data: ['image/png', 'image/jpeg'], url: ['image/png', 'image/jpeg', PDF] },
      result: alike('image/png', 'image/jpeg'),
    },
  ],
  [/^openrouter\b/, everywhere({ data: [...PHOTOS, PDF, ...AUDIO, 'audio/m4a'], url: [...PHOTOS, PDF] })],
  [/^amazon-bedrock\b/, everywhere(bytes(...PHOTOS, PDF))],
  [/^workers-?ai\.chat/, messagesOnly(bytes(...PHOTOS))],
];

/**
 * Answers which files a model of the SDK takes, by its names; `undefined` of a provider that is not known, and of packages of the
 * older specification, which send other things.
 */
export function mediaOf({ specificationVersion, provider, modelId }: SdkModel): ModelMedia | undefined {
  if (specificationVersion !== 'v4') return undefined;
  const [, media] = KNOWN.find(([name]) => name.test(provider)) ?? [];
  return typeof media === 'function' ? media(modelId) : media;
}

/**
 * Looks for files that the package would refuse in other words, drop, or write out. Of a model that is not known anything may
 * stand in messages, and nothing in results.
 *
 * @throws ModelError `bad-request` that names the type of the first.
 */
export function checkFiles(
  model: SdkModel,
  media: ModelMedia | undefined,
  messages: readonly ModelMessage[],
): void {
  for (const message of messages) {
    if (message.role !== 'user' && message.role !== 'tool') continue;
    const inResult = message.role === 'tool';
    const taken = inResult ? (media?.result ?? NOTHING) : media?.message;
    const foreign = taken && filesIn(message).find((file) => !takes(taken, file));
    if (foreign) throw cannotBeGiven(model, `${namedFile(foreign)} in a ${inResult ? 'result' : 'message'}`);
  }
}

/**
 * Looks for files that the model was not given, after all, as its provider tells only once it is asked.
 *
 * @throws ModelError `bad-request` that names the types that it may be.
 */
export function checkFileWarnings(
  model: SdkModel,
  warnings: readonly unknown[],
  messages: readonly ModelMessage[],
): void {
  const types = [...new Set(messages.flatMap(filesIn).map(({ mediaType }) => `'${mediaType}'`))];
  if (types.length === 0) return;
  for (const warning of warnings) {
    const { feature, message } = isRecord(warning) ? warning : {};
    const told = [feature, message].find((words) => typeof words === 'string' && DROPPED.test(words));
    if (told === undefined) continue;
    const why = told === message ? `: ${String(message).replace(/\.$/, '')}` : '';
    throw cannotBeGiven(model, `a file of the type ${types.join(' or ')}${why}`);
  }
}

/** So several packages tell that they have left a file out of a message or of a result. */
const DROPPED = /\b(?:user message|tool)\b.* part type: file\b/;

const cannotBeGiven = ({ modelId, provider }: SdkModel, what: string): ModelError =>
  new ModelError('bad-request', `The model '${modelId}' of '${provider}' cannot be given ${what}.`);

const filesIn = (message: ModelMessage): readonly MessageFile[] =>
  message.role === 'user' || message.role === 'tool'
    ? (message.parts ?? []).filter((part): part is MessageFile => part.type === 'file')
    : [];
