/**
 * Checks the options of model adapters. Runs in development only: other files reach it through `literals.ts`.
 */
import { findInnerFault, type InnerShape, type LiteralRule } from './check-literal.ts';
import { isJsonObject } from './json.ts';

const isWithin = (value: unknown, most: number): boolean =>
  typeof value === 'number' && value >= 0 && value <= most;

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';

const COUNT: LiteralRule = [
  'a positive whole number',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
];

const EFFORTS: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const isChoice = (value: unknown): boolean =>
  value === 'auto' ||
  value === 'required' ||
  value === 'none' ||
  isNonEmptyString(getSoleValue(value, 'tool'));

/**
 * Returns the value of a key in a choice if it is the only key, since a choice with two keys is ambiguous.
 */
const getSoleValue = (value: unknown, key: 'tool' | 'first' | 'every'): unknown =>
  isJsonObject(value) && ['tool', 'first', 'every'].every((name) => name in value === (name === key))
    ? value[key]
    : undefined;

/** The settings of a model, and of a loop. */
export const SETTINGS_SHAPE = {
  keys: {
    temperature: ['a number from 0 to 2', (value) => isWithin(value, 2)],
    topP: ['a number from 0 to 1', (value) => isWithin(value, 1)],
    topK: COUNT,
    seed: ['a whole number', Number.isSafeInteger],
    stop: [
      'a list of one or more strings, none of them empty',
      (value) => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString),
    ],
    reasoning: [
      `one of ${EFFORTS.map((effort) => `'${effort}'`).join(', ')}`,
      (value) => EFFORTS.includes(value),
    ],
    parallelToolCalls: ['true or false', (value) => typeof value === 'boolean'],
    providerOptions: [
      'objects by the name of their provider, such as { openai: { store: false } }',
      (value) => isJsonObject(value) && Object.values(value).every(isJsonObject),
    ],
    maxOutputTokens: COUNT,
    toolChoice: [
      "'auto', 'required', 'none' or { tool: 'name' }, or one of these as { first } or { every }",
      (value) => [value, getSoleValue(value, 'first'), getSoleValue(value, 'every')].some(isChoice),
    ],
  },
  foreign: {
    maxTokens: 'maxOutputTokens',
    max_tokens: 'maxOutputTokens',
    stopSequences: 'stop',
    effort: 'reasoning',
    reasoningEffort: 'reasoning',
  },
  isJson: true,
} as const satisfies InnerShape;

type MediaList = 'message.data' | 'message.url' | 'result.data' | 'result.url';

const MEDIA_LISTS: readonly MediaList[] = ['message.data', 'message.url', 'result.data', 'result.url'];

/** The options of an adapter, possibly from callers without types. */
interface AdapterLiteral {
  readonly settings?: unknown;
  readonly maxOutputTokens?: unknown;
  readonly media?: unknown;
}

/**
 * Returns the problem of the options about a model, or `undefined`. `never`: lists of media types that must
 * be empty, since the adapter cannot send files in those places.
 */
export function findAdapterProblem(
  { settings, maxOutputTokens, media }: AdapterLiteral,
  never: readonly MediaList[] = [],
): string | undefined {
  const [use, fits] = COUNT;
  if (maxOutputTokens !== undefined && !fits(maxOutputTokens))
    return `'maxOutputTokens' is ${String(maxOutputTokens).slice(0, 80)}. Use ${use}.`;
  const fault = findInnerFault(settings, SETTINGS_SHAPE);
  if (fault) return `'settings.${fault.path}' is ${fault.value}. Use ${fault.use}.`;
  if (media === undefined) return undefined;
  return MEDIA_LISTS.map((list) => findMediaProblem(list, media, never)).find(
    (problem) => problem !== undefined,
  );
}

/** A media type in lowercase without parameters, or a range with a star. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

function findMediaProblem(list: MediaList, media: unknown, never: readonly MediaList[]): string | undefined {
  const path = `'media.${list}'`;
  const types = list
    .split('.')
    .reduce<unknown>((inner, key) => (inner ? Reflect.get(Object(inner), key) : undefined), media);
  if (!Array.isArray(types))
    return `${path} must be a list of media types, such as ['image/png', 'image/*'].`;
  const wrong = types.find((type) => typeof type !== 'string' || !MEDIA_TYPE.test(type));
  if (wrong !== undefined)
    return `${path} contains '${String(wrong).slice(0, 80)}'. Use media types, such as 'image/png' or 'image/*'.`;
  return never.includes(list) && types.length > 0
    ? `${path} contains '${types[0]}', but the adapter sends no files there. Leave it empty.`
    : undefined;
}

/** The options of an adapter about requests to a server. */
interface ServerLiteral {
  readonly extraBody?: unknown;
  readonly cacheKeyIn?: unknown;
  readonly baseURL?: unknown;
  readonly server?: unknown;
}

/**
 * Returns the problem of the options about a server, or `undefined`. `ours`: the fields that the adapter sets
 * itself. `servers`: the names of the known servers.
 */
export function findServerProblem(
  { extraBody, cacheKeyIn = 'key', baseURL, server, ...others }: ServerLiteral,
  ours: ReadonlySet<string>,
  servers: readonly string[],
): string | undefined {
  if (baseURL === undefined && 'baseUrl' in others)
    return "openaiCompatible has no option 'baseUrl'. Use 'baseURL'.";
  if (server !== undefined && !servers.some((name) => name === server))
    return `'server' is '${String(server).slice(0, 80)}'. Use one of ${servers.map((name) => `'${name}'`).join(', ')}, or leave it out.`;
  if (!/^[\w-]{1,64}$/.test(String(cacheKeyIn)) || ours.has(String(cacheKeyIn)))
    return "'cacheKeyIn' must name a header or a body field that the adapter does not use.";
  if (extraBody === undefined) return undefined;
  if (!isJsonObject(extraBody) || !isJson(extraBody)) return "'extraBody' must be a JSON object.";
  const field = Object.keys(extraBody).find((name) => ours.has(name));
  return field === undefined ? undefined : `'extraBody.${field}' is set by the adapter. Omit it.`;
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A reply from a model that may be written in plain JavaScript. */
interface UntypedReply {
  readonly parts?: readonly object[] | undefined;
  readonly provider?: object | undefined;
  readonly toolCalls: readonly UntypedCall[];
}

interface UntypedCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** The fields that must be strings in a part of each type. */
const STRING_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  file: ['mediaType', 'data'],
  'tool-call': ['id', 'name', 'input'],
  'tool-result': ['id', 'name'],
  source: ['id'],
  custom: ['kind'],
};

/**
 * Returns the reason why the parts of a reply cannot be stored and sent back, as the text after a colon, or
 * `undefined`. Of the reply, the text contains only the type of a part.
 */
export function findPartsProblem({ parts, provider, toolCalls }: UntypedReply): string | undefined {
  if (parts !== undefined) {
    if (!Array.isArray(parts)) return "its 'parts' are not a list";
    const fields = parts.map((part: object | null) => new Map<string, unknown>(Object.entries(part ?? {})));
    const problem = fields.map(findPartProblem).find((one) => one !== undefined);
    if (problem) return problem;
    const calls = fields.filter(
      (part) => part.get('type') === 'tool-call' && part.get('ranBy') !== 'provider',
    );
    const said = calls.map((call) => CALL_FIELDS.map((key) => call.get(key)));
    const listed = toolCalls.map(({ id, name, input }) => [id, name, input]);
    if (JSON.stringify(said) !== JSON.stringify(listed))
      return "the calls in its parts are not its 'toolCalls'";
  }
  return isJson([parts, provider]) ? undefined : 'its parts contain values that JSON cannot represent';
}

const CALL_FIELDS = ['id', 'name', 'input'];

function findPartProblem(fields: ReadonlyMap<string, unknown>, index: number): string | undefined {
  const type = String(fields.get('type'));
  const texts = Object.hasOwn(STRING_FIELDS, type) ? STRING_FIELDS[type] : undefined;
  if (!texts) {
    const types = Object.keys(STRING_FIELDS).map((one) => `'${one}'`);
    return `its part ${index} has the type '${type}'. Use one of ${types.join(', ')}`;
  }
  const missing = texts.find((field) => typeof fields.get(field) !== 'string');
  if (missing) return `its part ${index}, a '${type}', has no text under '${missing}'`;
  const isAnswered = type !== 'tool-result' || fields.get('result') !== undefined;
  return isAnswered ? undefined : `its part ${index}, a '${type}', has no 'result'`;
}
