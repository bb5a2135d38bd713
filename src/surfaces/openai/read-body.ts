/** What both protocols say alike of a request: which agent is asked, and what cannot be asked of it. */
import { type ContentPart, type FileContent, fromBase64 } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../tool/json.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { OpenAiError } from './refuse.ts';

/** Parameters of a protocol beside those of both. */
export interface KnownParameters {
  /** Those that are read, and behind them those that change nothing of what is answered. */
  readonly known: readonly string[];
  /** Those that an agent's code decides, with what it says in their place. */
  readonly refused: Readonly<Record<string, string>>;
}

/** Checks which parameters there are. @throws OpenAiError for the first that would change the answer, and is not taken. */
export function checkParameters(body: JsonObject, { known, refused }: KnownParameters): void {
  for (const [param, value] of Object.entries(body)) {
    if (isEmpty(value) || [...OF_BOTH, ...known].includes(param)) continue;
    const instead = param === 'moderation' ? 'answers are not moderated.' : own(refused, param);
    if (instead !== undefined) throw notTaken(param, instead);
    const named = param.slice(0, 80);
    throw new OpenAiError(`Unknown parameter: '${named}'.`, { param: named, code: 'unknown_parameter' });
  }
}

/** Parameters of both protocols: those that are read, and behind them those that change nothing of what is answered. */
const OF_BOTH: readonly string[] = [
  ...['model', 'stream', 'metadata', 'tools', 'tool_choice'],
  ...['user', 'store', 'service_tier', 'safety_identifier', 'parallel_tool_calls'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['temperature', 'top_p', 'top_logprobs'],
];

/** The error of a parameter that would change the answer. */
export const notTaken = (param: string, instead: string): OpenAiError =>
  new OpenAiError(`Holdfast does not take '${param}': ${instead}`, { param, code: 'unsupported_parameter' });

/** What is said in place of a parameter that agents decide. */
export const inCode = (what: string): string => `the ${what} of an agent are in its code.`;

/** Says nothing, as clients send what they leave out. */
export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** The error of a value that is none of those that its parameter has. */
export const invalid = (param: string, what: string): OpenAiError =>
  new OpenAiError(`Invalid value for '${param}': it must be ${what}.`, { param, code: 'invalid_value' });

/** The agent that `model` names. */
export function agentOf(body: JsonObject, agents: readonly RouteAgent[]): RouteAgent {
  const { model } = body;
  if (typeof model !== 'string') throw invalid('model', 'the name of an agent, which GET /v1/models lists');
  return agentNamed(model, agents);
}

/** @throws OpenAiError when there is none of this name. */
export function agentNamed(model: string, agents: readonly RouteAgent[]): RouteAgent {
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

export function flagOf(body: JsonObject, param: string): boolean {
  const value = body[param] ?? false;
  if (typeof value !== 'boolean') throw invalid(param, 'true or false');
  return value;
}

/** What a client keeps beside a request: it is told again, and does nothing else. */
export function metadataOf({ metadata }: JsonObject): Record<string, string> {
  if (isEmpty(metadata)) return {};
  const isText = (value: Json | undefined): value is string => typeof value === 'string';
  if (!isJsonObject(metadata) || !Object.values(metadata).every(isText)) {
    throw invalid('metadata', 'an object of texts');
  }
  return metadata as Record<string, string>; // as just checked
}

/** @throws OpenAiError when the client forces a call, or forbids them. */
export function checkToolChoice({ tool_choice: choice }: JsonObject): void {
  if (isEmpty(choice) || choice === 'auto') return;
  throw notTaken('tool_choice', "the agent's model chooses. Send 'auto', or leave it out.");
}

/** What a message says: a text, or parts, each read by `partOf`. `at` is where it stands in the body. @throws OpenAiError for anything else. */
export function partsOf(
  content: Json | undefined,
  at: string,
  partOf: (part: JsonObject, at: string) => ContentPart,
): ContentPart[] {
  if (typeof content === 'string') return [textPart(content, at)];
  if (!Array.isArray(content) || content.length === 0) throw invalid(at, 'text, or a list of parts');
  return content.map((part, place) => {
    const where = `${at}[${place}]`;
    if (!isJsonObject(part)) throw invalid(where, 'an object');
    return partOf(part, where);
  });
}

/** Words of a message, and where they stand. */
export const textPart = (text: Json | undefined, param: string): ContentPart => ({
  type: 'text',
  text: textIn(text, param),
});

/** @throws OpenAiError for anything but text. */
export function textIn(text: Json | undefined, param: string): string {
  if (typeof text !== 'string') throw invalid(param, 'text');
  return text;
}

/** A file with its bytes, or by its https address. `fallback`: the media type of an address that does not tell. */
export function filePart(
  given: Json | undefined,
  param: string,
  { fallback, name }: { readonly fallback: string; readonly name?: string | undefined },
): FileContent {
  const notFile = () => invalid(param, 'a data URL of base64, or an https URL');
  if (typeof given !== 'string') throw notFile();
  const named = name === undefined ? {} : { name };
  const [head = '', mediaType = ''] = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(given.slice(0, 300)) ?? [];
  if (head !== '') {
    const bytes = fromBase64(given.slice(head.length));
    if (bytes && bytes.length > 0) return { type: 'file', mediaType: mediaType || fallback, bytes, ...named };
    throw notFile();
  }
  if (/^https:/i.test(given)) {
    const path = URL.parse(given)?.pathname ?? '';
    return { type: 'file', mediaType: typeOf(path) ?? fallback, url: given, ...named };
  }
  throw notFile();
}

/** The media type by the ending of a name, of those that models take. */
const typeOf = (path: string): string | undefined =>
  own(TYPES, /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '');

const TYPES: Readonly<Record<string, string>> = {
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

/** A file of a message: as a data URL, or as bare base64, which is then of the type that its name tells. */
export function namedFile(data: Json | undefined, param: string, filename: Json | undefined): FileContent {
  const name = typeof filename === 'string' ? filename : undefined;
  const fallback = typeOf(name ?? '') ?? 'application/pdf';
  const isBare = typeof data === 'string' && !/^(data|https):/i.test(data);
  return filePart(isBare ? `data:${fallback};base64,${data}` : data, param, { fallback, name });
}

/** A message in words alone is text. */
export const saidOf = (parts: readonly ContentPart[]): string | readonly ContentPart[] => {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? only.text : parts;
};
