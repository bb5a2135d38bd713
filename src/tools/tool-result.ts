import type { Json } from './json.ts';

/**
 * Marks a value as made by `text`, `artifact` or `error`. It is private to this module, so that a row
 * which merely looks like a result (`{ type: 'error' }`) is never taken for one.
 */
const made: unique symbol = Symbol('holdfast.tool-result');

/** Why a call ended in an error. Absent: the tool itself said so. */
export type ErrorReason =
  | 'unknown-tool'
  | 'invalid-input'
  | 'limit'
  | 'timeout'
  | 'cancelled'
  /** It started, and nobody knows whether it happened. */
  | 'unknown-outcome';

/** What a tool answered, as plain JSON data: this is what the journal keeps. */
export type ResultData =
  | { readonly type: 'text'; readonly text: string }
  /** Without `text` the model reads the value's JSON, so that the value is kept once. */
  | {
      readonly type: 'artifact';
      readonly value: Json;
      readonly text?: string;
      readonly artifactType?: string;
    }
  | { readonly type: 'error'; readonly message: string; readonly reason?: ErrorReason };

/** A result that `text`, `artifact` or `error` made. */
export type ToolResult = ResultData & { readonly [made]: true };

/** Names the type of an artifact; types of artifacts are nominal and are journaled by this name. */
export interface ArtifactType {
  readonly name: string;
}

/** Brands plain result data, as read from the journal. */
export const toolResult = (data: ResultData): ToolResult =>
  Object.defineProperty({ ...data }, made, { value: true }) as ToolResult; // the property was just defined

/** Recognises a result by its private mark, never by its shape. */
export const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === 'object' && value !== null && made in value;

/** What the model reads of a result. An error reads `Error: {message}`; an artifact is never serialised beside its text (RES-02). */
export function modelText(result: ResultData): string {
  switch (result.type) {
    case 'text':
      return result.text;
    case 'artifact':
      return result.text ?? JSON.stringify(result.value);
    case 'error':
      return `Error: ${result.message}`;
  }
}

/** An error result with the reason that the system knows; a tool's own errors have none. */
export const failure = (reason: ErrorReason, message: string): ToolResult =>
  toolResult({ type: 'error', message, reason });
