import type { StandardSchemaV1 } from '@standard-schema/spec';
import { formatPath, shorten } from './json.ts';
import type { ToolResult } from './tool-result.ts';

/** A valid input as `run` is given it, or every problem, one short line each, for the model to read. */
export type ParsedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The input that `run` is given, or what the model is answered instead. */
export type CheckedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly answer: ToolResult;
      /** What the answer lists; absent when the schema itself failed. */
      readonly problems?: readonly string[] | undefined;
    };

/** One thing that is wrong with an input. An empty path is the input itself. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Writes problems as the model reads them, one short line each, such as `items[0].quantity: Expected a number`, in
 * their order and without repetitions. Messages quote the input, so lines are capped in length and in number; what
 * was left out is counted in a last line.
 */
export function problemLines(problems: readonly Problem[]): readonly string[] {
  const lines = [...new Set(problems.map(problemLine))];
  const rest = lines.length - MAX_PROBLEMS;
  return rest > 0 ? [...lines.slice(0, MAX_PROBLEMS), `and ${rest} more`] : lines;
}

/** The same for what a Standard Schema says. */
export const issueLines = (issues: readonly StandardSchemaV1.Issue[]): readonly string[] =>
  problemLines(
    issues.map(({ path = [], message }) => ({
      path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
      message,
    })),
  );

function problemLine({ path, message }: Problem): string {
  const where = shorten(formatPath(path), MAX_PATH);
  // ArkType's messages begin with the path: "items[0].quantity must be a number".
  const line = where === '' || message.startsWith(`${where} must `) ? message : `${where}: ${message}`;
  return shorten(line.replace(/\s+/g, ' ').trim(), MAX_LINE);
}

const MAX_PROBLEMS = 20;
/** The most characters of a path in a line. */
export const MAX_PATH = 80;
const MAX_LINE = 240;
