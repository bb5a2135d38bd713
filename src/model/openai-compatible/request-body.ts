import { ENCODER, memoize } from '../../tool/async.ts';
import {
  addRequiredThoughts,
  createBadRequestError,
  toChoiceFields,
  toCommonFields,
  toProviderOptionFields,
  toWireMessage,
  toWireTool,
  type WireFormat,
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

/**
 * The server's field for the maximum number of tokens in a reply. OpenAI's recent models refuse the older
 * name, and other servers refuse the newer one.
 */
export type LimitParameter = 'max_tokens' | 'max_completion_tokens';

/** The settings shared by every request of an adapter, or of a watched loop. */
interface BodySettings extends WireFormat {
  readonly model: string;
  readonly limitParameter: LimitParameter;
  /** `true` if the server is asked to count the tokens of a stream. Defaults to `true`. */
  readonly asksUsage?: boolean | undefined;
  /** The field with the key of the conversation, for the server's cache. */
  readonly keyFields?: Readonly<Record<string, string>> | undefined;
  /** The data that the server requires in earlier calls. */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /** Fields without a corresponding setting. */
  readonly extraBody?: ExtraBody | undefined;
}

/** JSON to merge into every request. */
export type ExtraBody = { readonly [field: string]: ProviderJson };

/**
 * Returns the JSON of a `POST /chat/completions` that asks for a stream. It is text, or bytes if messages
 * have files. The JSON of tool definitions and of the answer's form is cached by the identity of the tools'
 * array, each definition and the form.
 *
 * @throws ModelError `bad-request` for a setting that chat completions do not support.
 */
export const toRequestBody = (
  settings: BodySettings,
  request: ModelRequest,
): string | Uint8Array<ArrayBuffer> => {
  const { messages, fill } = extractFiles(request.messages);
  return fill(toBodyText(settings, { ...request, messages }));
};

const toBodyText = (
  { model, limitParameter, asksUsage = true, keyFields, extraBody, wantsThoughts, ...manner }: BodySettings,
  request: ModelRequest,
): string => {
  const { tools, output, maxOutputTokens } = request;
  const messages = request.messages.map((message) => toWireMessage(message, manner));
  addRequiredThoughts(messages, wantsThoughts);
  const body = JSON.stringify({
    model,
    messages,
    // A streaming server is never silent for long, even if the caller needs only the whole reply.
    stream: true,
    ...(asksUsage && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens === undefined ? {} : { [limitParameter]: maxOutputTokens }),
    ...keyFields,
    ...extraBody,
    ...toSettingsFields(request),
  });
  const more = [
    ...(tools.length === 0 ? [] : [`"tools":${toolsJson(tools)}`]),
    ...(output === undefined ? [] : [`"response_format":${outputJson(output)}`]),
  ];
  return more.length === 0 ? body : `${body.slice(0, -1)},${more.join(',')}}`;
};

const toSettingsFields = (request: ModelRequest): UntrustedRecord => {
  const { settings = {} } = request;
  const { topK, stop = [] } = settings;
  if (topK !== undefined) {
    throw createBadRequestError(
      "Chat completions have no 'topK'. If the server has one, use 'extraBody: { top_k }'.",
    );
  }
  return {
    ...toProviderOptionFields(settings, { key: 'openaiCompatible', ours: OUR_FIELDS }),
    ...toCommonFields(settings),
    ...(stop.length > 0 && { stop }),
    ...toChoiceFields(settings, request),
  };
};

/** The fields that the loop controls, and that options cannot set. */
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

// An app can create the adapter for each request, so these caches are global: a thousand tools are converted
// once.
const toolJson = memoize((tool: ToolDefinition) => JSON.stringify(toWireTool(tool)));
const toolsJson = memoize((tools: readonly ToolDefinition[]) => `[${tools.map(toolJson).join(',')}]`);

// `strict` is left out. With it, servers refuse a schema that has optional properties or allows unknown ones,
// so an ordinary schema would fail every turn with a 400. The loop detects an answer that does not match.
const outputJson = memoize(({ name, schema }: OutputFormat) =>
  JSON.stringify({ type: 'json_schema', json_schema: { name, schema } }),
);

/** A conversation without its files, which are inserted into its JSON later. */
interface ExtractedFiles {
  readonly messages: readonly ModelMessage[];
  /** Inserts the files into the JSON of the messages. Returns the JSON unchanged if there are no files. */
  readonly fill: (json: string) => string | Uint8Array<ArrayBuffer>;
}

/**
 * Removes the base64 of files from a conversation before it becomes JSON, and inserts it into the bytes to
 * send. As text, the JSON of 16 MiB of files would exist up to three times while it is built. Each copy takes
 * 21 MiB, or twice that if any character of the conversation is outside Latin-1. An isolate has 128 MB.
 */
function extractFiles(messages: readonly ModelMessage[]): ExtractedFiles {
  if (!messages.some(hasFiles)) return { messages, fill: (json) => json };
  // The author of a message cannot guess this mark.
  const mark = crypto.randomUUID();
  const files: string[] = [];
  const extractData = (part: MessagePart): MessagePart =>
    part.type === 'text' || NON_BASE64_CHARACTER.test(part.data)
      ? part
      : { ...part, data: `${mark}${files.push(part.data) - 1}${mark}` };
  const without = messages.map((message) =>
    hasFiles(message) ? { ...message, parts: message.parts?.map(extractData) } : message,
  );
  return { messages: without, fill: (json) => joinBytes(json.split(mark), files) };
}

/** Returns whether a message can have files. The protocol supports them only in user messages. */
const hasFiles = (message: ModelMessage): message is Extract<ModelMessage, { readonly role: 'user' }> =>
  message.role === 'user' && message.parts !== undefined;

/** Matches a character that is not base64, as in a URL or in text that JSON would escape. */
const NON_BASE64_CHARACTER = /[^A-Za-z0-9+/=]/;

/** Joins the pieces as bytes. Every second piece is the number of a file, the others are JSON. */
function joinBytes(pieces: readonly string[], files: readonly string[]): Uint8Array<ArrayBuffer> {
  const texts = pieces.map((piece, at) => (at % 2 === 0 ? piece : (files[Number(piece)] ?? '')));
  // A character takes at most three bytes in JSON, and a single byte in base64.
  const most = texts.reduce((sum, text, at) => sum + (at % 2 === 0 ? 3 : 1) * text.length, 0);
  const bytes = new Uint8Array(most);
  let end = 0;
  for (const text of texts) end += ENCODER.encodeInto(text, bytes.subarray(end)).written;
  return bytes.subarray(0, end);
}
