import { copyJson, describeNonJson } from './copy-json.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  InputSchemaError,
  toInputSchema,
} from './input-schema.ts';
import { isJsonObject, type JsonObject, shorten } from './json.ts';
import { type LiteralOf, literals } from './literals.ts';
import { createErrorEntry, type Log } from './log.ts';
import { readName, withFullStop } from './shown.ts';
import type { AnyTool } from './tool.ts';

/** Thrown if the definition of a tool is invalid. Thrown by the code that defines it, never in a turn. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError';
  /** The given name, valid or not. */
  readonly tool: string;
  /** The invalid property of the definition. */
  readonly field: string;

  /** `problem` completes the sentence "Tool 'x': ...". */
  constructor(tool: string, field: string, problem: string | CausedProblem) {
    super(`Tool '${shorten(tool, 80)}': ${getProblemText(problem)}`, toErrorOptions(problem));
    this.tool = tool;
    this.field = field;
  }
}

/** A problem of a definition, with its cause. */
export interface CausedProblem {
  readonly problem: string;
  readonly cause: unknown;
}

export const getProblemText = (problem: string | CausedProblem): string =>
  typeof problem === 'string' ? problem : problem.problem;

/** Returns the error options with a problem's cause. */
export const toErrorOptions = (problem: string | CausedProblem): ErrorOptions =>
  typeof problem === 'string' ? {} : { cause: problem.cause };

/** @throws ToolDefinitionError if a provider would refuse the name, or if the description is blank. */
export function checkNaming(name: string, description: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new ToolDefinitionError(
      name,
      'name',
      'its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.',
    );
  if (description.trim() === '')
    throw new ToolDefinitionError(
      name,
      'description',
      'its description is blank. The model chooses tools by their descriptions.',
    );
}

/**
 * Checks the literal of a tool in development.
 *
 * @throws ToolDefinitionError if a key is unknown, missing or of the wrong type.
 */
export function checkToolLiteral(config: unknown, of: LiteralOf): void {
  const fault = literals?.fault(config, of);
  if (fault)
    throw new ToolDefinitionError(readName(config), fault.field, `it ${withFullStop(fault.problem)}`);
}

/**
 * Calls `toInputSchema` for the tool of this name.
 *
 * @throws ToolDefinitionError if the declaration is not valid as a tool's input.
 */
export function readInput<Declaration extends InputDeclaration>(
  tool: string,
  declared: Declaration | undefined,
): InputSchema<InputOf<Declaration>> {
  try {
    return toInputSchema<Declaration>(declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    throw new ToolDefinitionError(tool, 'input', { problem: cause.message, cause });
  }
}

/**
 * Returns a copy of the metadata for the tool of this name.
 *
 * @throws ToolDefinitionError if it is not JSON.
 */
export function readMetadata(tool: string, metadata: JsonObject): JsonObject {
  const copy = copyJson(metadata);
  if (copy.ok && isJsonObject(copy.value)) return copy.value;
  const problem = copy.ok ? { path: '$', what: 'not an object' } : copy.problem;
  throw new ToolDefinitionError(tool, 'metadata', `its metadata is not JSON: ${describeNonJson(problem)}.`);
}

/**
 * Checks settings of a tool by their names, as in `{ effect }`. Callers in plain JavaScript can pass any
 * value.
 *
 * @throws ToolDefinitionError if a setting is none of these words.
 */
export function checkWord(
  tool: string,
  settings: Readonly<Record<string, string | undefined>>,
  words: readonly string[],
): void {
  for (const [field, given] of Object.entries(settings)) {
    const use = given === undefined ? undefined : findWordProblem(given, words);
    if (!use) continue;
    const said = String(given);
    const hint = literals?.meantWord(said, words) ?? '';
    throw new ToolDefinitionError(tool, field, `its ${field} is '${said}'. It must be ${use}.${hint}`);
  }
}

/**
 * Returns `undefined` if a setting is one of these words. Otherwise returns the words, as in `'all' or
 * 'any'`.
 */
export const findWordProblem = (value: unknown, words: readonly string[]): string | undefined =>
  words.some((word) => word === value) ? undefined : words.map((word) => `'${word}'`).join(' or ');

/**
 * Checks times of a tool in milliseconds by their names, as in `{ timeout }`.
 *
 * @throws ToolDefinitionError if a time is not more than 0, or is more than `most`.
 */
export function checkTime(
  tool: string,
  times: Readonly<Record<string, number | undefined>>,
  most = Number.MAX_SAFE_INTEGER,
): void {
  for (const [field, ms] of Object.entries(times)) {
    if (ms === undefined || (ms > 0 && ms <= most)) continue;
    const problem = `its ${field} is ${ms}. It must be more than 0 and at most ${most} milliseconds.`;
    throw new ToolDefinitionError(tool, field, problem);
  }
}

/** Returns whether a value can be called as a tool. This includes hand-written objects. */
export function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema, call, check }: Partial<Record<keyof AnyTool, unknown>> = value;
  return (
    typeof name === 'string' &&
    typeof inputSchema === 'object' &&
    typeof call === 'function' &&
    typeof check === 'function'
  );
}

/**
 * Returns whether a predicate returns exactly `true`. A promise, which an `async` predicate in plain
 * JavaScript returns, counts as `false`, and the log reports it once.
 *
 * @param whose names the predicate in the `log`.
 * @throws any error that the predicate throws.
 */
export function isExactlyTrue<Args extends readonly unknown[]>(
  { whose, log }: PredicateContext,
  predicate: (...args: Args) => unknown,
  ...args: Args
): boolean {
  const answer = predicate(...args);
  if (!(answer instanceof Promise)) return answer === true;
  answer.catch(() => undefined); // Prevents an unhandled rejection.
  if (!reportedPredicates.has(predicate)) {
    reportedPredicates.add(predicate);
    log(createErrorEntry(`${whose} returns a promise, but must be synchronous`));
  }
  return false;
}

interface PredicateContext {
  readonly whose: string;
  readonly log: Log;
}

const reportedPredicates = new WeakSet<object>();
