import type { Decision, DecisionKind } from '../tool/call.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import type { ResultData } from '../tool/tool-result.ts';

/** What a suspended call waits for. */
export type Wait = DecisionWait | ResultWait;

interface WaitBase {
  readonly message: string;
  /** Milliseconds from the time of this event. */
  readonly expires?: number;
  /**
   * Hex SHA-256 over the tool's name, the call's input, the tool's schema and what was put to whom: a decision holds for
   * these only.
   */
  readonly binding: string;
}

/** Somebody decides about the call. */
export interface DecisionWait extends WaitBase {
  readonly for: 'decision';
  readonly allows: readonly DecisionKind[];
  /** What the tool is about to be called with, where that is no longer what the model sent. */
  readonly input?: JsonObject;
  /** What the input of an `edit` must match. */
  readonly schema: JsonSchema;
  /** Whoever asks looks at that input, and asks again if it is not valid: it may be taken unchecked. Absent where the app checks it. */
  readonly rechecked?: true;
  /** Nothing that looks like a credential is taken. */
  readonly credentials?: 'refused';
  /** The role that may decide. */
  readonly by?: string;
  /** Who may not: those whose messages the turn has taken. */
  readonly notBy?: 'requester';
  readonly onExpiry: Exclude<DecisionKind, 'edit'>;
  /** What the tool goes on from when the call begins anew. Nothing of it runs meanwhile, and nothing of it is in doubt. */
  readonly checkpoint?: Json;
}

/** The caller runs the tool and sends what came of it. */
export interface ResultWait extends WaitBase {
  readonly for: 'result';
}

/** What somebody outside answered, once. */
export type Answer =
  | ({
      readonly type: 'decision';
      /** A call of another turn has decided, and no person. */
      readonly inCall?: true;
    } & Decision)
  | {
      readonly type: 'result';
      readonly result: ResultData;
      readonly by?: string;
      /** Nobody sent one in time. */
      readonly expired?: true;
    };
