import { copyJson, inWords } from './copy-json.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  InputSchemaError,
  toInputSchema,
} from './input-schema.ts';
import { isJsonObject, type JsonObject, shorten } from './json.ts';
import { type LiteralOf, literals } from './literals.ts';
import { type Log, mistake } from './log.ts';
import { ended, nameIn } from './shown.ts';
import type { AnyTool } from './tool.ts';

/** A tool was defined in a way that cannot work. Thrown where it is defined, never in a turn. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError';
  /** The name that was given, valid or not. */
  readonly tool: string;
  /** The property of the definition that is wrong. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Tool 'x': ". */
  constructor(tool: string, field: string, problem: string | CausedProblem) {
    super(`Tool '${shorten(tool, 80)}': ${problemText(problem)}`, causeOf(problem));
    this.tool = tool;
    this.field = field;
  }
}

/** What is wrong with a definition, and what was thrown before. */
export interface CausedProblem {
  readonly problem: string;
  readonly cause: unknown;
}

/** The sentence of a problem. */
export const problemText = (problem: string | CausedProblem): string =>
  typeof problem === 'string' ? problem : problem.problem;

/** The options of an error about a problem. */
export const causeOf = (problem: string | CausedProblem): ErrorOptions =>
  typeof problem === 'string' ? {} : { cause: problem.cause };

/** @throws ToolDefinitionError when some provider would refuse the name, or the description is blank. */
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
      'its description is blank; the model chooses tools by it.',
    );
}

/** In development: @throws ToolDefinitionError if a key of a tool's literal is unknown, missing or of another kind. */
export function checkToolLiteral(config: unknown, of: LiteralOf): void {
  const fault = literals?.fault(config, of);
  if (fault) throw new ToolDefinitionError(nameIn(config), fault.field, `it ${ended(fault.problem)}`);
}

/** `toInputSchema` for the tool of this name. @throws ToolDefinitionError when it cannot be a tool's input. */
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

/** A copy of the metadata for the tool of this name. @throws ToolDefinitionError when it is not JSON. */
export function readMetadata(tool: string, metadata: JsonObject): JsonObject {
  const copy = copyJson(metadata);
  if (copy.ok && isJsonObject(copy.value)) return copy.value;
  const problem = copy.ok ? { path: '$', what: 'not an object' } : copy.problem;
  throw new ToolDefinitionError(tool, 'metadata', `its metadata is not JSON: ${inWords(problem)}.`);
}

/**
 * Checks settings of a tool by their names, as in `{ effect }`. Plain JavaScript may hand over anything.
 *
 * @throws ToolDefinitionError when one is given and is none of these words.
 */
export function checkWord(
  tool: string,
  settings: Readonly<Record<string, string | undefined>>,
  words: readonly string[],
): void {
  for (const [field, given] of Object.entries(settings)) {
    const use = given === undefined ? undefined : notOneOf(given, words);
    if (!use) continue;
    const said = String(given);
    const hint = literals?.meantWord(said, words) ?? '';
    throw new ToolDefinitionError(tool, field, `its ${field} is '${said}'; it must be ${use}.${hint}`);
  }
}

/**
 * Answers what a setting must be: `undefined` when it is one of these words, else the words, as in `'all' or 'any'`.
 */
export const notOneOf = (value: unknown, words: readonly string[]): string | undefined =>
  words.some((word) => word === value) ? undefined : words.map((word) => `'${word}'`).join(' or ');

/**
 * Checks times of a tool by their names, in milliseconds, as in `{ timeout }`.
 *
 * @throws ToolDefinitionError when one is given and is not more than 0, or more than `most`.
 */
export function checkTime(
  tool: string,
  times: Readonly<Record<string, number | undefined>>,
  most = Number.MAX_SAFE_INTEGER,
): void {
  for (const [field, ms] of Object.entries(times)) {
    if (ms === undefined || (ms > 0 && ms <= most)) continue;
    const problem = `its ${field} is ${ms}; it must be more than 0 and at most ${most} milliseconds.`;
    throw new ToolDefinitionError(tool, field, problem);
  }
}

/** Tells whether a value can be called as a tool, of any make, also a hand-written one. */
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
 * Tells whether somebody's predicate answers `true`; nothing else is a yes. Plain JavaScript may hand in an `async` one,
 * whose promise would pass for one whatever it comes to: that is a no, and the log says once what is wrong.
 *
 * @param whose names the predicate in the `log`.
 * @throws what the predicate throws.
 */
export function saysTrue<Args extends readonly unknown[]>(
  { whose, log }: Asked,
  predicate: (...args: Args) => unknown,
  ...args: Args
): boolean {
  const answer = predicate(...args);
  if (!(answer instanceof Promise)) return answer === true;
  answer.catch(() => undefined); // Nobody waits for it.
  if (!reported.has(predicate)) {
    reported.add(predicate);
    log(mistake(`${whose} answers a promise, which is not true: it must be synchronous`));
  }
  return false;
}

interface Asked {
  readonly whose: string;
  readonly log: Log;
}

/** Predicates that were reported already. */
const reported = new WeakSet<object>();
