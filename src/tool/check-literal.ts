/**
 * Checks the literals of definitions: unknown keys, missing keys, and values of the wrong type. Runs in
 * development only: other files reach it through `literals.ts`.
 */
import { isJsonObject, shorten } from './json.ts';
import { describeValue, findNearest } from './shown.ts';

/**
 * The keys of a definition's literal, each with the kind of its value. Values of kind `any` are checked
 * elsewhere.
 */
export interface LiteralShape<Key extends string = string> {
  /** The function that accepts the literal, such as `defineTool`. */
  readonly of: string;
  readonly keys: Readonly<Record<Key, LiteralKind>>;
  readonly required: readonly Key[];
  /**
   * Keys of other libraries, each with our key, or with the code to write and its import. Ignored if our key
   * is also set.
   */
  readonly foreign?:
    | Readonly<Record<string, string | readonly [write: string, importing: string]>>
    | undefined;
  /** Keys that make no sense here, each with the reason and the fix. */
  readonly senseless?: Readonly<Record<string, string>> | undefined;
  /**
   * Additional keys of finished definitions, so that one can be spread into the literal of another. The first
   * key identifies them.
   */
  readonly made?: readonly string[] | undefined;
  /** The rules for the items of the lists in these keys. */
  readonly items?: { readonly [K in Key]?: LiteralItem } | undefined;
}

/** A rule for a value: the text after "Use " in errors, and the test. */
export type LiteralRule = readonly [use: string, fits: (value: unknown) => boolean];

/** The kind of a key's value. A kind that only one key uses is written as a rule. */
export type LiteralKind =
  | LiteralRule
  | 'text'
  | 'flag'
  | 'list'
  | 'agents'
  | 'object'
  | 'function'
  | 'schema'
  | 'model'
  | 'any';

/** A rule for the items of a list: the text after "Use " in errors, and the test of an item's properties. */
export type LiteralItem = readonly [use: string, fits: (item: Readonly<Record<string, unknown>>) => boolean];

/** A literal inside another: its keys, or each key with the rule for its value. */
export interface InnerShape {
  readonly keys: readonly string[] | Readonly<Record<string, LiteralRule>>;
  /** Keys of other libraries, each with our key. */
  readonly foreign?: Readonly<Record<string, string>> | undefined;
  /** If `true`, errors show an invalid value as JSON. */
  readonly isJson?: true | undefined;
}

export interface LiteralFault {
  /** The invalid key, such as `name` or `strategies[0]`. */
  readonly field: string;
  /** A sentence without its subject, as in `has no 'name'. Use a string`. */
  readonly problem: string;
}

/**
 * Returns the first problem of a literal, or `undefined`. Accepts any value, since plain JavaScript can pass
 * anything.
 */
export function findLiteralFault(config: unknown, shape: LiteralShape): LiteralFault | undefined {
  if (typeof config !== 'object' || config === null || Array.isArray(config) || config instanceof Promise) {
    return {
      field: '',
      problem: `received ${describeValue(config)}. Pass one object, as in ${shape.of}({ ... })`,
    };
  }
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  for (const [key] of given) {
    const problem = findUnknownKeyProblem(key, config, shape);
    if (problem !== undefined) return { field: key, problem };
  }
  const missing = shape.required.find((key) => Reflect.get(config, key) === undefined);
  if (missing !== undefined) {
    return { field: missing, problem: `has no '${missing}'. Use ${getRule(shape.keys[missing])[0]}` };
  }
  for (const [key, value] of given) {
    const problem = findKindProblem(key, value, shape.keys[key]);
    if (problem !== undefined) return { field: key, problem };
  }
  return findItemFault(config, shape);
}

const getRule = (kind: LiteralKind = 'any'): LiteralRule => (typeof kind === 'string' ? KINDS[kind] : kind);

const KINDS: Readonly<Record<Extract<LiteralKind, string>, LiteralRule>> = {
  text: ['a string', (value) => typeof value === 'string'],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  list: ['a list, as in [one, another]', Array.isArray],
  agents: ['a list, as in [agent]', Array.isArray],
  object: ['an object', isJsonObject],
  function: ['a function', (value) => typeof value === 'function'],
  schema: ['a schema', (value) => typeof value === 'function' || isJsonObject(value)],
  model: ['a model', (value) => findModelProblem(value) === undefined],
  any: ['a value', () => true],
};

function findKindProblem(key: string, value: unknown, kind: LiteralKind | undefined): string | undefined {
  const [use, fits] = getRule(kind);
  if (fits(value)) return undefined;
  const [name, tool] = Object.entries(Object(value))[0] ?? [];
  if (kind === 'list' && isAiTool(tool))
    return `has the tools of another library by their names. Use a list, as in [fromAiTool(tools.${name}, { name: '${name}' })], with fromAiTool from 'holdfast/tools/ai-sdk'`;
  if (kind === 'model') return findModelProblem(value, key);
  // A string instead of a function, such as in `auth`, can be a credential, so it is not shown.
  const said = kind === 'function' && typeof value === 'string' ? 'a string' : describeValue(value);
  return `has ${said} as its '${key}'. Use ${use}`;
}

/** Returns whether a value is an AI SDK tool, which has no name of its own. */
export const isAiTool = (value: unknown): boolean => {
  const { inputSchema, call }: Readonly<Record<string, unknown>> = Object(value);
  return inputSchema !== undefined && call === undefined;
};

/**
 * Returns the problem of a value that is not a model, with the code to write. Returns `undefined` for a
 * model, for a function that creates one, and for `undefined`.
 */
export function findModelProblem(given: unknown, key = 'model'): string | undefined {
  if (given === undefined || typeof given === 'function') return undefined;
  const { ask, doGenerate, run }: Readonly<Record<string, unknown>> = Object(given);
  if (typeof ask === 'function') return undefined;
  const named = typeof given === 'string' ? `: '${shorten(given, 80)}'` : '';
  const ofServer = `openaiCompatible({ baseURL, apiKey, model${named} })`;
  const ofBinding = typeof run === 'function' ? 'workersAi(env.AI, { model })' : ofServer;
  const made = typeof doGenerate === 'function' ? 'fromAiSdk(model)' : ofBinding;
  return `has ${describeValue(given)} as its '${key}'. Use a model, as in ${made}, or a function that makes one from the environment`;
}

function findItemFault(config: object, { items = {} }: LiteralShape): LiteralFault | undefined {
  for (const [key, item] of Object.entries(items)) {
    if (!item) continue;
    const [use, fits] = item;
    const listed: readonly unknown[] = Reflect.get(config, key) ?? [];
    const at = listed.findIndex((one) => !fits(Object(one)));
    const field = `${key}[${at}]`;
    if (at >= 0) return { field, problem: `has ${describeValue(listed[at])} at ${field}. Use ${use}` };
  }
  return undefined;
}

/**
 * Returns the error for an unknown key, with the key to use instead. Returns `undefined` if the key is
 * allowed.
 */
function findUnknownKeyProblem(key: string, config: object, shape: LiteralShape): string | undefined {
  const { keys, foreign = {}, senseless = {}, made = [] } = shape;
  if (Object.hasOwn(keys, key)) return undefined;
  if (Object.hasOwn(senseless, key)) return `has '${key}', but ${senseless[key]}`;
  if (made.includes(key) && Object.hasOwn(config, made[0] ?? '')) return undefined;
  const ours = Object.hasOwn(foreign, key) ? foreign[key] : undefined;
  if (typeof ours === 'object') return `has '${key}'. Write ${ours[0]}, and ${ours[1]}`;
  if (ours !== undefined) {
    if (Reflect.get(config, ours) !== undefined) return undefined;
    const fix = Object.hasOwn(keys, ours) ? 'Rename' : 'Replace';
    return `has '${key}' instead of '${ours}'. ${fix} it`;
  }
  const known = Object.keys(keys);
  const meant = findNearestKey(key, known);
  const rest = meant === undefined ? `Use one of ${known.join(', ')}.` : `Did you mean '${meant}'?`;
  return `has an unknown option '${shorten(key, 80)}'. ${rest}`;
}

/** An unknown key of an inner literal, or a key with an invalid value. */
export interface InnerFault {
  readonly path: string;
  readonly value: string;
  /** The fix, as the text after "Use ". */
  readonly use: string;
}

/** Returns the first problem of an inner literal, or `undefined`. */
export function findInnerFault(
  given: unknown,
  { keys, foreign = {}, isJson }: InnerShape,
): InnerFault | undefined {
  const values = Object.entries(Object(given)).filter(([, value]) => value !== undefined);
  const known = isKeyList(keys) ? keys : Object.keys(keys);
  const stranger = values.find(([key]) => !known.includes(key));
  if (stranger) {
    const [key, value] = stranger;
    const ours = Object.hasOwn(foreign, key) ? foreign[key] : findNearestKey(key, known);
    const use = ours === undefined ? `one of ${known.join(', ')}` : `'${ours}'`;
    return { path: shorten(key, 80), value: describeValue(value), use };
  }
  if (isKeyList(keys)) return undefined;
  for (const [path, value] of values) {
    const [use, fits] = keys[path] ?? KINDS.any;
    if (!fits(value)) return { path, value: isJson ? formatAsJson(value) : String(value), use };
  }
  return undefined;
}

export const formatAsJson = (value: unknown): string =>
  (typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))).slice(0, 80);

const isKeyList = (keys: InnerShape['keys']): keys is readonly string[] => Array.isArray(keys);

/** Returns the known name that an unknown name probably means, or `undefined`. */
export const findNearestKey = (name: string, names: readonly string[]): string | undefined =>
  findNearest(name, names, Math.ceil(name.length / 3));
