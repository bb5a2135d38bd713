import { memoized } from './async.ts';
import { CONTENT_PART, type ContentPart, inWords, isFile, isNew, placed } from './content.ts';
import type { Json } from './json.ts';
import {
  ANY_JSON,
  type Infer,
  OPTIONAL_TEXT,
  OPTIONAL_YES,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from './shape.ts';

/**
 * Marks a value as made by `text`, `content`, `artifact` or `error`. It is private to this module, so that a row
 * which merely looks like a result (`{ type: 'error' }`) is never taken for one.
 */
const made: unique symbol = Symbol('holdfast.tool-result');

/**
 * Why a call ended in an error. Absent: the tool itself said so. `threw`: its code threw; the message is what was thrown. `declined`:
 * somebody who was asked said no, or did not answer in time. `skipped`: a signal of another call of its batch ended the loop first.
 * `unknown-outcome`: it started, and nobody knows whether it happened.
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
 * Ends the loop in which the call ran, once its batch has settled. `replan` and `terminate-action` end that
 * loop only; `terminate-agent` and `exit` end the turn as cancelled; `misconfigured` and `fail` end it as failed.
 */
export interface Signal extends Infer<typeof SIGNAL> {}
export const SIGNAL = {
  object: {
    type: { oneOf: ['replan', 'terminate-action', 'terminate-agent', 'exit', 'misconfigured', 'fail'] },
    reason: TEXT,
  },
} as const satisfies Shape;

/**
 * `withheld`: no error, and yet not what the tool is for: it is not available now, it broke off by a signal, or its loop
 * met a limit. The words say which. No fold counts it as a success.
 */
const WITHHELD = {
  object: { withheld: OPTIONAL_YES, signal: { optional: SIGNAL } },
} as const satisfies Shape;

const PARTS = { listOf: CONTENT_PART } as const satisfies Shape;

/** The types of the items of a list, in order; `null` for an item without one. */
export const ITEM_TYPES = { optional: { listOf: TEXT_OR_NULL } } as const;

/** What a tool answered, as plain JSON data: this is what the journal keeps. */
export type ResultData = Infer<typeof RESULT>;
export const RESULT = {
  anyOf: [
    { object: { type: { only: 'text' }, content: TEXT }, and: WITHHELD },
    {
      object: {
        type: { only: 'content' },
        /** Words and files, in the order in which the model is shown them. */
        parts: PARTS,
      },
      and: WITHHELD,
    },
    /** Without `content` the model reads the value's JSON, with the remark below it, so that the value is kept once. */
    {
      object: {
        type: { only: 'artifact' },
        value: ANY_JSON,
        content: OPTIONAL_TEXT,
        /** In the place of `content`, where the model is shown files too. */
        parts: { optional: PARTS },
        remark: OPTIONAL_TEXT,
        artifactType: OPTIONAL_TEXT,
        /** Of a list whose items are of more than one type, in the place of `artifactType`: the type of each item, in order. */
        artifactTypes: ITEM_TYPES,
      },
      and: WITHHELD,
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

/** A result that `text`, `content`, `artifact` or `error` made. */
export type ToolResult = ResultData & {
  readonly [made]: true;
  /** What the model reads, but for the `Error: ` before the message of an error. */
  readonly content: string;
  /** The same, as the seeds call it. */
  text(): string;
};

/** Names the type of an artifact; types of artifacts are nominal and are journaled by this name. */
export interface ArtifactType {
  readonly name: string;
}

/** One artifact of a result. */
export interface ArtifactItem {
  readonly value: Json;
  /** The name of its type. */
  readonly type?: string;
}

/** Returns the artifacts of a result, each with its type: a list is its items, never whole. */
export function artifactItems(result: ResultData): readonly ArtifactItem[] {
  if (result.type !== 'artifact') return [];
  const { value, artifactType, artifactTypes } = result;
  const items = Array.isArray(value) ? value : [value];
  return items.map((item, at) => {
    const type = artifactTypes ? (artifactTypes[at] ?? undefined) : artifactType;
    return { value: item, ...(type !== undefined && { type }) };
  });
}

/** Brands plain result data, as read from the journal. What is added to it is not enumerable, and so not journaled. */
export function toolResult<Data extends ResultData>(
  data: Data,
): Extract<ToolResult, { readonly type: Data['type'] }>;
export function toolResult(data: ResultData): ToolResult {
  // Made when asked for: the words of an artifact may be its whole JSON.
  const content = (): string => contentOf(data);
  const added = { [made]: { value: true }, text: { value: content } };
  const result = Object.defineProperties({ ...data }, added);
  if (!Object.hasOwn(result, 'content')) Object.defineProperty(result, 'content', { get: content });
  return result as ToolResult; // the properties were just defined
}

/** Recognises a result by its private mark, never by its shape. */
export const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === 'object' && value !== null && made in value;

/**
 * Answers what the model reads of a result. An error reads `Error: {message}`; an artifact is never serialized beside its
 * words.
 */
export const modelText = (result: ResultData): string =>
  result.type === 'error' ? `Error: ${result.message}` : contentOf(result);

/** The most characters of one result that a model is shown, unless its agent says otherwise. */
export const RESULT_CHARACTERS = 65_536;

/**
 * Answers what a model reads of a result: its beginning, and how much that is, when it has more characters than `most`. A
 * remark below an artifact stays whole: it names tools that the model could not know otherwise. `readOn` says how to read on
 * from a character.
 */
export function shownText(result: ResultData, most: number, readOn?: (from: number) => string): string {
  const { text } = wordsOf(result);
  if (text.length <= most) return text;
  const below = belowOf(result);
  const whole = text.length - below.length;
  const shown = beginning(text, Math.min(most, whole));
  if (shown.length === whole) return text;
  const how = readOn ? `; ${readOn(shown.length)}` : '';
  return `${shown}\n... [shortened: ${shown.length} of ${whole} characters are shown${how}]${below}`;
}

/** Made once of each result: a conversation is shown to its model with every request. */
const wordsOf = memoized((result: ResultData) => ({ text: modelText(result) }));

/** The words of a result that may be shortened: without the remark below an artifact. */
export function shortenable(result: ResultData): string {
  const text = modelText(result);
  return text.slice(0, text.length - belowOf(result).length);
}

function belowOf(result: ResultData): string {
  const remark = result.type === 'artifact' && result.content === undefined ? result.remark : undefined;
  return remark ? `\n\n${remark}` : '';
}

/** So many characters, but no half of one at the end, which some providers refuse. */
export const beginning = (text: string, most: number): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most);

/** How many characters two texts have in common at their beginning. */
export function sameLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  if (one.startsWith(other.slice(0, most))) return most;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return at;
}

/** Tells whether a call did what it was made for. */
export const succeeded = (result: ResultData): boolean => result.type !== 'error' && result.withheld !== true;

/** The words of a tool that is not available now, for a model that will find another way: no error. */
export const withheld = (content: string): ToolResult =>
  toolResult({ type: 'text', content, withheld: true });

/** An error result with the reason that the system knows; a tool's own errors have none. */
export const failure = (reason: ErrorReason, message: string): ToolResult =>
  toolResult({ type: 'error', message, reason });

/** Tells whether a result says that its call may have happened or not. */
export const isOutcomeUnknown = (result: ResultData): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

function contentOf(result: ResultData): string {
  switch (result.type) {
    case 'text':
      return result.content;
    case 'content':
      return inWords(result.parts);
    case 'artifact':
      if (result.parts) return inWords(result.parts);
      return (
        result.content ??
        [JSON.stringify(result.value), ...(result.remark ? [result.remark] : [])].join('\n\n')
      );
    case 'error':
      return result.message;
  }
}

/** A result that is words for the model; the empty text when there are none. */
export const text = (content: string | null | undefined): Extract<ToolResult, { type: 'text' }> =>
  toolResult({ type: 'text', content: content ?? '' });

/** A result that is words and files. */
export type ContentResult = Extract<ToolResult, { type: 'content' }>;

/** Answers the words and files of a result; of one without files, nothing. */
export const partsOfResult = (result: ResultData): readonly ContentPart[] =>
  result.type === 'content' || result.type === 'artifact' ? (result.parts ?? []) : [];

/** Tells a result with a file that is not kept yet. */
export const hasNewFiles = (result: ResultData): boolean => partsOfResult(result).some(isNew);

/**
 * A result that tells the model what went wrong; it reads `Error: {message}`, also when there is no message. `cause` is for the
 * log, with its stack: neither the model nor a caller is told of it, and it is not journaled.
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
  const result = toolResult({ type: 'error', message: words });
  if (cause !== undefined) causes.set(result, cause);
  return result;
}

/** What was behind an error, until the log is told of it. */
const causes = new WeakMap<ToolResult, unknown>();

/** Answers once what a tool said was behind its error, if it said so. */
export function takeCause(result: ToolResult): unknown {
  const cause = causes.get(result);
  causes.delete(result);
  return cause;
}

/**
 * A result with words for the model and a value for the program: sinks, unlock conditions and chaining see the value,
 * the model only the words, or the words and files of `content`. With a type, the value is an artifact of that type.
 * The value is copied as JSON when the call ends; of what JSON does not keep the log tells.
 */
export function artifact(words: string | ContentResult, value: unknown): ToolResult;
export function artifact(words: string | ContentResult, type: ArtifactType, value: unknown): ToolResult;
export function artifact(
  words: string | ContentResult,
  ...rest: readonly [unknown] | readonly [ArtifactType, unknown]
): ToolResult {
  const said = typeof words === 'string' ? { content: words } : { parts: words.parts };
  if (rest.length === 1) return toolResult({ type: 'artifact', ...said, value: unchecked(rest[0]) });
  const [type, value] = rest;
  return toolResult({ type: 'artifact', ...said, value: unchecked(value), artifactType: type.name });
}

/** Every artifact is checked when its call ends; asking for `Json` here would refuse values whose type is an interface. */
const unchecked = (value: unknown): Json => value as Json;

/**
 * A result with other words for the model. Its variant, its artifact, its reason and its signal stay, so that sinks
 * and the loop see what the tool answered. An error's words are its message, without the `Error: `.
 */
export function mapContent(result: ToolResult, map: (content: string) => string): ToolResult {
  const content = map(result.content);
  // An artifact whose words are its JSON is kept once as long as nobody changes them.
  if (content === result.content) return result;
  return toolResult(withWords(result, content));
}

/** A result whose model reads other words. Its files stay, each in the place of its line, or behind the words. */
export function withWords(result: ResultData, words: string): ResultData {
  if (result.type === 'error') return { ...result, message: words };
  const files = partsOfResult(result).filter(isFile);
  if (result.type === 'text' || files.length === 0) return { ...withoutParts(result), content: words };
  return { ...result, parts: placed(words, files) };
}

function withoutParts(
  result: Exclude<ResultData, { type: 'error' }>,
): Exclude<ResultData, { type: 'error' | 'content' }> {
  if (result.type === 'text') return result;
  const { parts: _, ...rest } = result;
  return rest.type === 'artifact' ? rest : { ...rest, type: 'text', content: '' };
}
