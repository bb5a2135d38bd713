import type { JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** A question to somebody outside the turn, who may take days. Journaled, and listed in the session's state. */
export interface DecisionRequest {
  /** What is asked, for whoever decides. */
  readonly message: string;
  /** What may be decided; all four unless given. */
  readonly allows?: readonly DecisionKind[] | undefined;
  /** What the tool is about to be called with, where that is no longer what the model sent. */
  readonly input?: JsonObject | undefined;
  /** What the input of an `edit` must match; the tool's own input unless given. */
  readonly schema?: JsonSchema | undefined;
  /** The role that may decide; anybody who may see the session unless given. */
  readonly by?: string | undefined;
  /** Milliseconds until `onExpiry` is decided; never unless given. */
  readonly expires?: number | undefined;
  /** What counts as decided when nobody does in time; `reject` unless given. */
  readonly onExpiry?: Exclude<DecisionKind, 'edit'> | undefined;
}

/** What was decided, once and for this call only. */
export interface Decision {
  readonly decision: DecisionKind;
  /** Of an `edit`: it matches the schema that was asked with. */
  readonly input?: JsonObject | undefined;
  readonly reason?: string | undefined;
  /** The id of whoever decided. */
  readonly by?: string | undefined;
  /** Nobody decided in time. */
  readonly expired?: true | undefined;
}

/** What somebody outside may decide about a call. */
export type DecisionKind = 'approve' | 'edit' | 'reject' | 'exit';

/** A question that is put while a tool runs: nobody can be waited for without end. */
export type RunningDecisionRequest = DecisionRequest & { readonly expires: number };
