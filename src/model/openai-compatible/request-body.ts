import { ENCODER, memoized } from '../../tool/async.ts';
import {
  choiceFields,
  commonFields,
  fillIn,
  ownFields,
  refused,
  toWireMessage,
  toWireTool,
  type WireManner,
} from '../chat-completions/to-wire.ts';
import type {
  ModelMessage,
  ModelRequest,
  OutputFormat,
  ToolDefinition,
  WantedThoughts,
} from '../chat-model.ts';
import type { MessagePart, ProviderJson } from '../parts.ts';
import type { UntrustedRecord } from '../untrusted-json.ts';

/** What servers call the most tokens of a reply. OpenAI's own models of late refuse the older name, other servers the newer. */
export type LimitParameter = 'max_tokens' | 'max_completion_tokens';

/** What is the same for every request of an adapter, or of a watched loop. */
interface BodySettings extends WireManner {
  readonly model: string;
  readonly limitParameter: LimitParameter;
  /** The server is asked to count the tokens of a stream; unless `false`. */
  readonly asksUsage?: boolean | undefined;
  /** Tells the key of a conversation, for the server's cache. */
  readonly keyFields?: Readonly<Record<string, string>> | undefined;
  /** What its server wants of calls that are given back. */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /** Fields that no setting knows. */
  readonly extraBody?: ExtraBody | undefined;
}

/** JSON that is merged into every request. */
export type ExtraBody = { readonly [field: string]: ProviderJson };

/**
 * The JSON of a `POST /chat/completions`, which asks for a stream: text, or the bytes of it where messages have files. The JSON
 * of tool definitions and of the answer's form is reused, by the identity of the tools' array, of each definition and of the
 * form.
 *
 * @throws ModelError `bad-request` for a setting that chat completions cannot be told.
 */
export const toRequestBody = (
  settings: BodySettings,
  request: ModelRequest,
): string | Uint8Array<ArrayBuffer> => {
  const { messages, fill } = withFilesApart(request.messages);
  return fill(toBodyText(settings, { ...request, messages }));
};

const toBodyText = (
  { model, limitParameter, asksUsage = true, keyFields, extraBody, wantsThoughts, ...manner }: BodySettings,
  request: ModelRequest,
): string => {
  const { tools, output, maxOutputTokens } = request;
  const messages = request.messages.map((message) => toWireMessage(message, manner));
  fillIn(messages, wantsThoughts);
  const body = JSON.stringify({
    model,
    messages,
    // A server that streams is never silent for long, whoever asks.
    stream: true,
    ...(asksUsage && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens === undefined ? {} : { [limitParameter]: maxOutputTokens }),
    ...keyFields,
    ...extraBody,
    ...settingsFields(request),
  });
  const more = [
    ...(tools.length === 0 ? [] : [`"tools":${toolsJson(tools)}`]),
    ...(output === undefined ? [] : [`"response_format":${outputJson(output)}`]),
  ];
  return more.length === 0 ? body : `${body.slice(0, -1)},${more.join(',')}}`;
};

const settingsFields = (request: ModelRequest): UntrustedRecord => {
  const { settings = {} } = request;
  const { topK, stop = [] } = settings;
  if (topK !== undefined) {
    throw refused("Chat completions have no 'topK': where the server has one, use 'extraBody: { top_k }'.");
  }
  return {
    ...ownFields(settings, { key: 'openaiCompatible', ours: OUR_FIELDS }),
    ...commonFields(settings),
    ...(stop.length > 0 && { stop }),
    ...choiceFields(settings, request),
  };
};

/** Fields of which a request says what the loop needs: nobody else may set them. */
export const OUR_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
]);

// The adapter may be made anew for each request, so these outlive it: a thousand tools are converted once.
const toolJson = memoized((tool: ToolDefinition) => JSON.stringify(toWireTool(tool)));
const toolsJson = memoized((tools: readonly ToolDefinition[]) => `[${tools.map(toolJson).join(',')}]`);

// It does not say `strict`: under it servers refuse a schema that has an optional property or allows unknown ones, so that an
// ordinary schema would end every turn with a 400. An answer that strays from the form is for the loop to notice.
const outputJson = memoized(({ name, schema }: OutputFormat) =>
  JSON.stringify({ type: 'json_schema', json_schema: { name, schema } }),
);

/** A conversation whose files are put into its JSON later. */
interface FilesApart {
  readonly messages: readonly ModelMessage[];
  /** The JSON of the messages with their files in it; as it is, where they have none. */
  readonly fill: (json: string) => string | Uint8Array<ArrayBuffer>;
}

/**
 * Takes the base64 of files out of a conversation before it is written as JSON, and puts it into the bytes that are sent. As a text
 * the JSON of 16 MiB of files would be there up to three times while it is put together, each time of 21 MiB, and of twice
 * as much when one character of the conversation is not of Latin-1. An isolate has 128 MB.
 */
function withFilesApart(messages: readonly ModelMessage[]): FilesApart {
  if (!messages.some(hasFiles)) return { messages, fill: (json) => json };
  // Nobody who writes a message can guess it.
  const mark = crypto.randomUUID();
  const files: string[] = [];
  const apart = (part: MessagePart): MessagePart =>
    part.type === 'text' || NOT_BASE64.test(part.data)
      ? part
      : { ...part, data: `${mark}${files.push(part.data) - 1}${mark}` };
  const without = messages.map((message) =>
    hasFiles(message) ? { ...message, parts: message.parts?.map(apart) } : message,
  );
  return { messages: without, fill: (json) => joined(json.split(mark), files) };
}

/** This wire has files in messages alone. */
const hasFiles = (message: ModelMessage): message is Extract<ModelMessage, { readonly role: 'user' }> =>
  message.role === 'user' && message.parts !== undefined;

/** An address, or what JSON would have to write otherwise. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/** Every second piece is the number of a file, the others are JSON. */
function joined(pieces: readonly string[], files: readonly string[]): Uint8Array<ArrayBuffer> {
  const texts = pieces.map((piece, at) => (at % 2 === 0 ? piece : (files[Number(piece)] ?? '')));
  // A character of JSON takes three bytes at most, one of base64 takes one.
  const most = texts.reduce((sum, text, at) => sum + (at % 2 === 0 ? 3 : 1) * text.length, 0);
  const bytes = new Uint8Array(most);
  let end = 0;
  for (const text of texts) end += ENCODER.encodeInto(text, bytes.subarray(end)).written;
  return bytes.subarray(0, end);
}
