import { memoize } from './async.ts';
import {
  CONTENT_PART,
  type ContentPart,
  isFile,
  isNewFile,
  toContentText,
  toPartsWithFiles,
} from './content.ts';
import type { Json } from './json.ts';
import {
  ANY_JSON,
  type Infer,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from './shape.ts';

/**
 * Marks a value made by `text`, `content`, `artifact` or `error`. Private to this module, so that data that
 * only looks like a result (`{ type: 'error' }`) is never mistaken for one.
 */
const RESULT_MARK: unique symbol = Symbol('holdfast.tool-result');

/**
 * Why a call ended in an error. Absent if the tool itself returned the error. `threw`: its code threw, and
 * the message is that of the exception. `declined`: a person or client declined, or did not answer in time.
 * `skipped`: a signal of another call of its batch ended the loop first. `unknown-outcome`: it was started,
 * and may or may not have happened.
 */
export type ErrorReason = Infer<typeof ERROR_REASON>;
const ERROR_REASON = {
  oneOf: [
    'threw',
    'unknown-tool',
    'invalid-input',
    'limit',
    'timeout',
    'cancelled',
    'declined',
    'skipped',
    'unknown-outcome',
  ],
} as const satisfies Shape;

/**
 * Ends the loop in which the call ran, once its batch has ended. `replan` and `terminate-action` end only
 * that loop. `terminate-agent` and `exit` end the turn as cancelled. `misconfigured` and `fail` end it as
 * failed.
 */
export interface Signal extends Infer<typeof SIGNAL> {}
export const SIGNAL = {
  object: {
    type: { oneOf: ['replan', 'terminate-action', 'terminate-agent', 'exit', 'misconfigured', 'fail'] },
    reason: TEXT,
  },
} as const satisfies Shape;

/**
 * `withheld`: not an error, but not a success either. The tool is not available now, a signal ended the call,
 * or its loop reached a limit. The text states the reason. Folds do not count it as a success.
 */
const WITHHELD_FIELDS = {
  object: { withheld: OPTIONAL_TRUE, signal: { optional: SIGNAL } },
} as const satisfies Shape;

const PARTS = { listOf: CONTENT_PART } as const satisfies Shape;

/** The types of a list's items, in order. `null` for an item without a type. */
export const ITEM_TYPES = { optional: { listOf: TEXT_OR_NULL } } as const;

/** The result of a tool as plain JSON data, as journaled. */
export type ResultData = Infer<typeof RESULT>;
export const RESULT = {
  anyOf: [
    { object: { type: { only: 'text' }, content: TEXT }, and: WITHHELD_FIELDS },
    {
      object: {
        type: { only: 'content' },
        /** Text and files, in the order in which the model sees them. */
        parts: PARTS,
      },
      and: WITHHELD_FIELDS,
    },
    /**
     * Without `content`, the model reads the value's JSON followed by the remark, so that the value is stored
     * once.
     */
    {
      object: {
        type: { only: 'artifact' },
        value: ANY_JSON,
        content: OPTIONAL_TEXT,
        /** In place of `content`, if the model is shown files too. */
        parts: { optional: PARTS },
        remark: OPTIONAL_TEXT,
        artifactType: OPTIONAL_TEXT,
        /**
         * Replaces `artifactType` for a list whose items have different types: the type of each item, in
         * order.
         */
        artifactTypes: ITEM_TYPES,
      },
      and: WITHHELD_FIELDS,
    },
    {
      object: {
        type: { only: 'error' },
        message: TEXT,
        reason: { optional: ERROR_REASON },
        signal: { optional: SIGNAL },
      },
    },
  ],
} as const satisfies Shape;

/** A result made by `text`, `content`, `artifact` or `error`. */
export type ToolResult = ResultData & {
  readonly [RESULT_MARK]: true;
  /** The text for the model, without the `Error: ` before an error's message. */
  readonly content: string;
  /** Returns the same text. */
  text(): string;
};

/** The type of an artifact. Types are nominal, and the journal stores this name. */
export interface ArtifactType {
  readonly name: string;
}

export interface ArtifactItem {
  readonly value: Json;
  /** The name of its type. */
  readonly type?: string;
}

/** Returns the artifacts of a result, each with its type. A list counts as its items, never as a whole. */
export function listArtifactItems(result: ResultData): readonly ArtifactItem[] {
  if (result.type !== 'artifact') return [];
  const { value, artifactType, artifactTypes } = result;
  const items = Array.isArray(value) ? value : [value];
  return items.map((item, at) => {
    const type = artifactTypes ? (artifactTypes[at] ?? undefined) : artifactType;
    return { value: item, ...(type !== undefined && { type }) };
  });
}

/**
 * Makes a result from plain data, such as from the journal. The added properties are not enumerable, so they
 * are not journaled.
 */
export function createToolResult<Data extends ResultData>(
  data: Data,
): Extract<ToolResult, { readonly type: Data['type'] }>;
export function createToolResult(data: ResultData): ToolResult {
  // Computed on access, since the text of an artifact can be its whole JSON.
  const getContent = (): string => getResultText(data);
  const added = { [RESULT_MARK]: { value: true }, text: { value: getContent } };
  const result = Object.defineProperties({ ...data }, added);
  if (!Object.hasOwn(result, 'content')) Object.defineProperty(result, 'content', { get: getContent });
  return result as ToolResult; // just defined
}

/** Returns whether a value is a result. Checks its private mark, not its shape. */
export const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === 'object' && value !== null && RESULT_MARK in value;

/**
 * Returns the text of a result for the model. For an error: `Error: {message}`. An artifact's JSON is never
 * added to its own text.
 */
export const getModelText = (result: ResultData): string =>
  result.type === 'error' ? `Error: ${result.message}` : getResultText(result);

/** The default maximum of characters of one result that a model sees. */
export const DEFAULT_RESULT_CHARACTERS = 65_536;

/**
 * Returns the text of a result for the model. If it is longer than `most`, returns its beginning and a note
 * about the length. A remark below an artifact is never shortened, since the model knows the tools in it only
 * from there. `readOn`: returns how to read on from a character.
 */
export function toModelText(result: ResultData, most: number, readOn?: (from: number) => string): string {
  const { text } = cachedText(result);
  if (text.length <= most) return text;
  const below = getRemark(result);
  const whole = text.length - below.length;
  const shown = truncateText(text, Math.min(most, whole));
  if (shown.length === whole) return text;
  const how = readOn ? `; ${readOn(shown.length)}` : '';
  return `${shown}\n... [shortened: ${shown.length} of ${whole} characters are shown${how}]${below}`;
}

/** Cached per result, since every request shows the conversation to the model. */
const cachedText = memoize((result: ResultData) => ({ text: getModelText(result) }));

/**
 * Returns the part of a result's text that can be shortened: the text without the remark below an artifact.
 */
export function getShortenableText(result: ResultData): string {
  const text = getModelText(result);
  return text.slice(0, text.length - getRemark(result).length);
}

function getRemark(result: ResultData): string {
  const remark = result.type === 'artifact' && result.content === undefined ? result.remark : undefined;
  return remark ? `\n\n${remark}` : '';
}

/**
 * Returns the first characters of a text, without half a surrogate pair at the end, since some providers
 * refuse it.
 */
export const truncateText = (text: string, most: number): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most);

/** Returns the length of the common beginning of two texts. */
export function getCommonPrefixLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  if (one.startsWith(other.slice(0, most))) return most;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return at;
}

/** Returns whether a call succeeded. */
export const isSuccess = (result: ResultData): boolean => result.type !== 'error' && result.withheld !== true;

/**
 * Returns a result for a tool that is not available now. It is not an error, since the model can find another
 * way.
 */
export const createWithheldResult = (content: string): ToolResult =>
  createToolResult({ type: 'text', content, withheld: true });

/** Returns an error with a reason that the system knows. A tool's own errors have no reason. */
export const createFailureResult = (reason: ErrorReason, message: string): ToolResult =>
  createToolResult({ type: 'error', message, reason });

/** Returns whether the outcome of a result's call is unknown. */
export const isOutcomeUnknown = (result: ResultData): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

function getResultText(result: ResultData): string {
  switch (result.type) {
    case 'text':
      return result.content;
    case 'content':
      return toContentText(result.parts);
    case 'artifact':
      if (result.parts) return toContentText(result.parts);
      return (
        result.content ??
        [JSON.stringify(result.value), ...(result.remark ? [result.remark] : [])].join('\n\n')
      );
    case 'error':
      return result.message;
  }
}

/**
 * Returns a result of text for the model. Defaults to an empty text.
 *
 * @example
 * ```ts
 * return text('Sent.');
 * ```
 */
export const text = (content: string | null | undefined): Extract<ToolResult, { type: 'text' }> =>
  createToolResult({ type: 'text', content: content ?? '' });

/** A result of text and files. */
export type ContentResult = Extract<ToolResult, { type: 'content' }>;

/** Returns the parts of a result. Empty if it has no files. */
export const listResultParts = (result: ResultData): readonly ContentPart[] =>
  result.type === 'content' || result.type === 'artifact' ? (result.parts ?? []) : [];

/** Returns whether a result contains a file that is not kept yet. */
export const hasNewFiles = (result: ResultData): boolean => listResultParts(result).some(isNewFile);

/**
 * Returns a result with an error for the model, which reads `Error: {message}`, or a default message. `cause`
 * is logged with its stack, but not journaled or shown to the model or a caller.
 *
 * @example
 * ```ts
 * return error('The warehouse does not answer. Try again later.', { cause: thrown });
 * ```
 */
export function error(
  message: string | null | undefined,
  { cause }: { readonly cause?: unknown } = {},
): Extract<ToolResult, { type: 'error' }> {
  const words = message?.trim() ? message : 'Tool execution failed with no message';
  const result = createToolResult({ type: 'error', message: words });
  if (cause !== undefined) causes.set(result, cause);
  return result;
}

/** The causes of errors, until they are logged. */
const causes = new WeakMap<ToolResult, unknown>();

/** Returns the cause of a tool's error, if it has one. Returns it only once. */
export function takeCause(result: ToolResult): unknown {
  const cause = causes.get(result);
  causes.delete(result);
  return cause;
}

/**
 * Returns a result with text for the model and a value for the program. Sinks, unlock conditions and chaining
 * see the value. The model sees only the text, or the text and files of `content`. With a type, the value is
 * an artifact of that type. The value is copied as JSON when the call ends, and parts that JSON does not keep
 * are logged.
 *
 * @example
 * ```ts
 * return artifact('Found Ann.', Customer, { id: 'c1', city: 'Bern' });
 * ```
 */
export function artifact(words: string | ContentResult, value: unknown): ToolResult;
export function artifact(words: string | ContentResult, type: ArtifactType, value: unknown): ToolResult;
export function artifact(
  words: string | ContentResult,
  ...rest: readonly [unknown] | readonly [ArtifactType, unknown]
): ToolResult {
  const said = typeof words === 'string' ? { content: words } : { parts: words.parts };
  if (rest.length === 1)
    return createToolResult({ type: 'artifact', ...said, value: asUncheckedJson(rest[0]) });
  const [type, value] = rest;
  return createToolResult({
    type: 'artifact',
    ...said,
    value: asUncheckedJson(value),
    artifactType: type.name,
  });
}

/**
 * Casts a value without a check, since artifacts are checked when their call ends, and a parameter of type
 * `Json` would reject interfaces.
 */
const asUncheckedJson = (value: unknown): Json => value as Json;

/**
 * Returns a result with other text for the model. Its variant, artifact, reason and signal stay, so that
 * sinks and the loop see the tool's own result. An error's text is its message, without the `Error: `.
 *
 * @example
 * ```ts
 * const short = mapContent(text('A long text'), (words) => words.slice(0, 6));
 * ```
 */
export function mapContent(result: ToolResult, map: (content: string) => string): ToolResult {
  const content = map(result.content);
  // An artifact without its own text is stored only once if its text stays unchanged.
  if (content === result.content) return result;
  return createToolResult(withText(result, content));
}

/**
 * Returns a result with other text for the model. Its files stay, each in the place of its line or else after
 * the text.
 */
export function withText(result: ResultData, words: string): ResultData {
  if (result.type === 'error') return { ...result, message: words };
  const files = listResultParts(result).filter(isFile);
  if (result.type === 'text' || files.length === 0) return { ...withoutParts(result), content: words };
  return { ...result, parts: toPartsWithFiles(words, files) };
}

function withoutParts(
  result: Exclude<ResultData, { type: 'error' }>,
): Exclude<ResultData, { type: 'error' | 'content' }> {
  if (result.type === 'text') return result;
  const { parts: _, ...rest } = result;
  return rest.type === 'artifact' ? rest : { ...rest, type: 'text', content: '' };
}
