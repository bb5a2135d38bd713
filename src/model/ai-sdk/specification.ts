import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';

/** A model of the AI SDK, of either specification that its providers implement. */
export type SdkModel = LanguageModelV4 | LanguageModelV3;

/**
 * Asks for a whole reply. The result is untrusted: a provider can implement another release of the interface.
 */
export const generate = async (model: SdkModel, options: LanguageModelV4CallOptions): Promise<unknown> =>
  model.specificationVersion === 'v3' ? model.doGenerate(toV3Options(options)) : model.doGenerate(options);

/** Asks for a streamed reply. The result is as untrusted as that of `generate`. */
export const streamReply = async (model: SdkModel, options: LanguageModelV4CallOptions): Promise<unknown> =>
  model.specificationVersion === 'v3' ? model.doStream(toV3Options(options)) : model.doStream(options);

type Message = LanguageModelV4Prompt[number];
type Assistant = Extract<Message, { role: 'assistant' }>;
type AssistantV3 = Extract<LanguageModelV3Prompt[number], { role: 'assistant' }>;
type User = Extract<Message, { role: 'user' }>;
type UserV3 = Extract<LanguageModelV3Prompt[number], { role: 'user' }>;
type FileV3 = Extract<UserV3['content'][number], { type: 'file' }>;
type Result = Extract<Assistant['content'][number], { type: 'tool-result' }>;
type Content = Extract<Result['output'], { type: 'content' }>['value'][number];
type ResultV3 = Extract<AssistantV3['content'][number], { type: 'tool-result' }>;
type ContentV3 = Extract<ResultV3['output'], { type: 'content' }>['value'][number];

/**
 * Converts a request to the older specification, which many community providers still implement. It has no
 * type tag on file data, and fewer kinds of parts.
 */
function toV3Options({
  prompt,
  reasoning: _,
  ...options
}: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  // The types of an answer's form differ only in their names, as do the messages once their files are
  // converted.
  const rest = options as Omit<LanguageModelV3CallOptions, 'prompt'>;
  return { ...rest, prompt: prompt.map(toV3Message) as LanguageModelV3Prompt };
}

function toV3Message(message: Message) {
  switch (message.role) {
    case 'assistant':
      return { ...message, content: message.content.flatMap(toV3Part) };
    case 'user':
      return { ...message, content: message.content.flatMap(toV3UserPart) };
    case 'tool':
      return {
        ...message,
        content: message.content.map((part) =>
          part.type === 'tool-result' && part.output.type === 'content'
            ? { ...part, output: { ...part.output, value: part.output.value.flatMap(toV3Content) } }
            : part,
        ),
      };
    default:
      return message;
  }
}

/**
 * Converts a part. Drops a part that the older specification lacks, because its models cannot have made it.
 */
function toV3Part(part: Assistant['content'][number]): readonly AssistantV3['content'][number][] {
  switch (part.type) {
    case 'custom':
    case 'reasoning-file':
      return [];
    case 'file':
      return toV3File(part);
    case 'tool-result':
      // The result of a provider's own tool is JSON in both specifications.
      return [part as ResultV3];
    default:
      return [part];
  }
}

const toV3UserPart = (part: User['content'][number]): readonly UserV3['content'][number][] =>
  part.type === 'file' ? toV3File(part) : [part];

function toV3File({ data, ...file }: Extract<User['content'][number], { type: 'file' }>): readonly FileV3[] {
  if (data.type === 'url') return [{ ...file, data: data.url }];
  return data.type === 'data' ? [{ ...file, data: data.data }] : [];
}

/**
 * Converts a part of a result. The older specification separates images from other files, and supports links
 * only to images.
 */
function toV3Content(part: Content): readonly ContentV3[] {
  if (part.type !== 'file') return [part];
  const { data, mediaType, filename } = part;
  const isImage = mediaType.startsWith('image/');
  if (data.type === 'url') {
    return [{ type: isImage ? 'image-url' : 'file-url', url: data.originalUrl ?? data.url.href }];
  }
  // Our own data is always base64.
  if (data.type !== 'data' || typeof data.data !== 'string') return [];
  const file = { mediaType, data: data.data };
  if (isImage) return [{ type: 'image-data', ...file }];
  return [{ type: 'file-data', ...file, ...(filename !== undefined && { filename }) }];
}
