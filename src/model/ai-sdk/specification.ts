import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';

/** A model of the AI SDK, of either specification that its providers have. */
export type SdkModel = LanguageModelV4 | LanguageModelV3;

/** Asks for a whole reply. What it resolves to is not trusted: a provider may bring another release of the interface. */
export const generate = async (model: SdkModel, options: LanguageModelV4CallOptions): Promise<unknown> =>
  model.specificationVersion === 'v3' ? model.doGenerate(toV3Options(options)) : model.doGenerate(options);

/** Asks for a reply in pieces, as `generate`. */
export const stream = async (model: SdkModel, options: LanguageModelV4CallOptions): Promise<unknown> =>
  model.specificationVersion === 'v3' ? model.doStream(toV3Options(options)) : model.doStream(options);

type Assistant = Extract<LanguageModelV4Prompt[number], { role: 'assistant' }>;
type AssistantV3 = Extract<LanguageModelV3Prompt[number], { role: 'assistant' }>;

/**
 * An ask as models of the older specification take it, which many providers of the community still have: it holds files
 * without saying what their data is, and has fewer parts.
 */
function toV3Options({
  prompt,
  reasoning: _,
  ...options
}: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  // The types of an answer's form differ in names only; so do the messages in which we put no file.
  const rest = options as Omit<LanguageModelV3CallOptions, 'prompt'>;
  const messages = prompt.map((message) =>
    message.role === 'assistant' ? { ...message, content: message.content.flatMap(toV3Part) } : message,
  ) as LanguageModelV3Prompt;
  return { ...rest, prompt: messages };
}

/** Nothing for a part that is not there in the older specification: no model of it has made it. */
function toV3Part(part: Assistant['content'][number]): readonly AssistantV3['content'][number][] {
  switch (part.type) {
    case 'custom':
    case 'reasoning-file':
      return [];
    case 'file': {
      const { data, ...file } = part;
      if (data.type === 'url') return [{ ...file, data: data.url }];
      return data.type === 'data' ? [{ ...file, data: data.data }] : [];
    }
    case 'tool-result':
      // What a provider's own tool answered is JSON in both.
      return [part as Extract<AssistantV3['content'][number], { type: 'tool-result' }>];
    default:
      return [part];
  }
}
