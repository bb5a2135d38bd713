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
