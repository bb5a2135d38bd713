import type { StandardSchemaV1 } from '@standard-schema/spec';
import { formatPath, shorten } from './json.ts';
import type { ToolResult } from './tool-result.ts';

/** The valid input that `run` receives, or all problems, as short lines for the model. */
export type ParsedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The input that `run` receives, or the error result for the model. */
export type CheckedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly answer: ToolResult;
      /** The problems listed in the error. Absent if the schema itself failed. */
      readonly problems?: readonly string[] | undefined;
    };

/** A problem of an input. An empty path means the input itself. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Formats problems for the model in one short line each, such as `items[0].quantity: Expected a number`, in
 * order and without duplicates. Since messages quote the input, the length and number of lines are limited. A
 * last line shows how many were left out.
 */
export function formatProblems(problems: readonly Problem[]): readonly string[] {
  const lines = [...new Set(problems.map(formatProblem))];
  const rest = lines.length - MAX_PROBLEMS;
  return rest > 0 ? [...lines.slice(0, MAX_PROBLEMS), `and ${rest} more`] : lines;
}

/** Formats the issues of a Standard Schema in the same way. */
export const formatIssues = (issues: readonly StandardSchemaV1.Issue[]): readonly string[] =>
  formatProblems(
    issues.map(({ path = [], message }) => ({
      path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
      message,
    })),
  );

function formatProblem({ path, message }: Problem): string {
  const where = shorten(formatPath(path), MAX_PATH_CHARACTERS);
  // ArkType's messages begin with the path: "items[0].quantity must be a number".
  const line = where === '' || message.startsWith(`${where} must `) ? message : `${where}: ${message}`;
  return shorten(line.replace(/\s+/g, ' ').trim(), MAX_LINE_CHARACTERS);
}

const MAX_PROBLEMS = 20;
/** The maximum characters of a path in a line. */
export const MAX_PATH_CHARACTERS = 80;
const MAX_LINE_CHARACTERS = 240;
