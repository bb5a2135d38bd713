/** Reads the fields that both protocols share: the agent, and parameters that are refused. */
import { type ContentPart, type FileContent, fromBase64 } from '../../tool/content.ts';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { OpenAiError } from './refuse.ts';

/** The parameters of one protocol, in addition to the shared ones. */
export interface KnownParameters {
  /** The supported parameters, followed by those that do not affect the answer. */
  readonly known: readonly string[];
  /** The error texts for parameters that can only be set in an agent's code. */
  readonly refused: Readonly<Record<string, string>>;
}

/**
 * Checks the parameters of a body. @throws OpenAiError for the first unsupported parameter that would change
 * the answer.
 */
export function checkParameters(body: JsonObject, { known, refused }: KnownParameters): void {
  for (const [param, value] of Object.entries(body)) {
    if (isEmpty(value) || [...SHARED_PARAMETERS, ...known].includes(param)) continue;
    const instead = param === 'moderation' ? 'answers are not moderated.' : getOwn(refused, param);
    if (instead !== undefined) throw createUnsupportedParameterError(param, instead);
    const named = param.slice(0, 80);
    throw new OpenAiError(`Unknown parameter: '${named}'.`, { param: named, code: 'unknown_parameter' });
  }
}

/** The parameters of both protocols: the supported ones, followed by those that do not affect the answer. */
const SHARED_PARAMETERS: readonly string[] = [
  ...['model', 'stream', 'metadata', 'tools', 'tool_choice'],
  ...['user', 'store', 'service_tier', 'safety_identifier', 'parallel_tool_calls'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['temperature', 'top_p', 'top_logprobs'],
];

/** Returns the error for an unsupported parameter that would change the answer. */
export const createUnsupportedParameterError = (param: string, instead: string): OpenAiError =>
  new OpenAiError(`Holdfast does not support '${param}': ${instead}`, {
    param,
    code: 'unsupported_parameter',
  });

/** Returns the error text for a parameter that can only be set in an agent's code. */
export const formatSetInCode = (what: string): string => `the ${what} of an agent are in its code.`;

/** Returns `true` for values that clients send in place of an absent parameter. */
export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export const createInvalidValueError = (param: string, what: string): OpenAiError =>
  new OpenAiError(`Invalid value for '${param}'. It must be ${what}.`, { param, code: 'invalid_value' });

/** Returns the agent that `model` names. */
export function readAgent(body: JsonObject, agents: readonly RouteAgent[]): RouteAgent {
  const { model } = body;
  if (typeof model !== 'string')
    throw createInvalidValueError('model', 'the name of an agent, which GET /v1/models lists');
  return findAgentByModel(model, agents);
}

/** @throws OpenAiError if no agent has this name. */
export function findAgentByModel(model: string, agents: readonly RouteAgent[]): RouteAgent {
  const agent = agents.find(({ name }) => name === model);
  if (agent) return agent;
  throw new OpenAiError(
    `The model '${model.slice(0, 80)}' does not exist. GET /v1/models lists those that do.`,
    {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    },
  );
}

export function readFlag(body: JsonObject, param: string): boolean {
  const value = body[param] ?? false;
  if (typeof value !== 'boolean') throw createInvalidValueError(param, 'true or false');
  return value;
}

/** Returns the metadata of a request. Its only effect is that responses repeat it. */
export function readMetadataField({ metadata }: JsonObject): Record<string, string> {
  if (isEmpty(metadata)) return {};
  const isText = (value: Json | undefined): value is string => typeof value === 'string';
  if (!isJsonObject(metadata) || !Object.values(metadata).every(isText)) {
    throw createInvalidValueError('metadata', 'an object of strings');
  }
  return metadata as Record<string, string>; // just checked
}

/** @throws OpenAiError if the client forces or forbids calls. */
export function checkToolChoice({ tool_choice: choice }: JsonObject): void {
  if (isEmpty(choice) || choice === 'auto') return;
  throw createUnsupportedParameterError(
    'tool_choice',
    "the agent's model chooses. Send 'auto', or leave it out.",
  );
}

/**
 * Reads the content of a message: text, or parts, each read by `partOf`. `at`: its path in the body. @throws
 * OpenAiError for any other content.
 */
export function parseParts(
  content: Json | undefined,
  at: string,
  partOf: (part: JsonObject, at: string) => ContentPart,
): ContentPart[] {
  if (typeof content === 'string') return [toTextPart(content, at)];
  if (!Array.isArray(content) || content.length === 0)
    throw createInvalidValueError(at, 'text, or a list of parts');
  return content.map((part, place) => {
    const where = `${at}[${place}]`;
    if (!isJsonObject(part)) throw createInvalidValueError(where, 'an object');
    return partOf(part, where);
  });
}

/** Returns a text part. `param`: its path in the body. */
export const toTextPart = (text: Json | undefined, param: string): ContentPart => ({
  type: 'text',
  text: readTextValue(text, param),
});

/** @throws OpenAiError if the value is not text. */
export function readTextValue(text: Json | undefined, param: string): string {
  if (typeof text !== 'string') throw createInvalidValueError(param, 'text');
  return text;
}

/**
 * Returns a file from its bytes or its https URL. `fallback`: the media type if the URL does not show
 * it.
 */
export function toFilePart(
  given: Json | undefined,
  param: string,
  { fallback, name }: { readonly fallback: string; readonly name?: string | undefined },
): FileContent {
  const createNotFileError = () => createInvalidValueError(param, 'a data URL of base64, or an https URL');
  if (typeof given !== 'string') throw createNotFileError();
  const named = name === undefined ? {} : { name };
  const [head = '', mediaType = ''] = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(given.slice(0, 300)) ?? [];
  if (head !== '') {
    const bytes = fromBase64(given.slice(head.length));
    if (bytes && bytes.length > 0) return { type: 'file', mediaType: mediaType || fallback, bytes, ...named };
    throw createNotFileError();
  }
  if (/^https:/i.test(given)) {
    const path = URL.parse(given)?.pathname ?? '';
    return { type: 'file', mediaType: findMediaType(path) ?? fallback, url: given, ...named };
  }
  throw createNotFileError();
}

/** Returns the media type for a file extension, if models accept it. */
const findMediaType = (path: string): string | undefined =>
  getOwn(TYPE_BY_EXTENSION, /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '');

const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
};

/**
 * Returns a file of a message from a data URL or from bare base64. The media type of bare base64 comes from
 * the file name.
 */
export function readMessageFile(
  data: Json | undefined,
  param: string,
  filename: Json | undefined,
): FileContent {
  const name = typeof filename === 'string' ? filename : undefined;
  const fallback = findMediaType(name ?? '') ?? 'application/pdf';
  const isBare = typeof data === 'string' && !/^(data|https):/i.test(data);
  return toFilePart(isBare ? `data:${fallback};base64,${data}` : data, param, { fallback, name });
}

/** Returns a string for a message that has only text. */
export const toMessageContent = (parts: readonly ContentPart[]): string | readonly ContentPart[] => {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? only.text : parts;
};
