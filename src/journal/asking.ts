/** The seam through which calls ask people or clients outside the turn. */
import type { CallContext, TurnPrincipal } from '../tool/call.ts';
import type { Json } from '../tool/json.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { StoredEvent } from './events.ts';
import type { PostOutcome } from './inbox-message.ts';
import type { SessionPort } from './session-port.ts';
import type { CallRecord } from './state.ts';
import type { PendingCall, Wait } from './wait.ts';

/** A call that asks, with the parts of its loop that the module needs. */
export interface AskingCall {
  /** The fold updates it while the call runs. */
  readonly record: CallRecord;
  readonly tool: Pick<AnyTool, 'inputSchema'>;
  /** Aborts when this invocation can no longer act for the turn. */
  readonly signal: AbortSignal;
  /** The turn's secrets, which are redacted from its questions. */
  readonly secrets: Pick<Secrets, 'redact'>;
  /** Resolves at the next change of the journal. */
  changed(): Promise<void>;
  /**
   * Journals the wait, if present. Returns the error to throw, which suspends the call until the answer
   * arrives.
   */
  suspend(wait: Wait | undefined): Error;
}

/** A call's way to ask outside the turn, and to find the answers after a restart. */
export interface Asker extends Pick<CallContext, 'ask'> {
  /** The number of questions that the call has asked since it restarted. */
  readonly asked: number;
  /** Returns the checkpoint of the next question if it was asked before. */
  checkpoint(): Json | undefined;
  /** Records that `run` is over or abandoned, so its code can no longer ask. */
  hasRun(): void;
}

/** A client's answer, with the question that it refers to. */
export interface SentAnswer {
  readonly for: Wait['for'];
  readonly call: string;
  /** The number of the question within the call, starting at 1. */
  readonly question: number;
  /** The unchecked content of the answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The path of the answer within the request, for error messages. Absent if it is the whole request. */
  readonly at?: readonly PropertyKey[] | undefined;
}

/** An open turn, for code that runs it without a Worker. */
export interface LocalTurn {
  readonly port: Pick<SessionPort, 'post'>;
  readonly agent: { readonly tools: readonly AnyTool[] };
  readonly events: readonly StoredEvent[];
}

/**
 * The outcome of an answer: its problems, or whether it was posted to the lease holder. `kept-out`: its
 * sender must not decide. `void`: the tool has changed since it asked.
 */
export type AnswerOutcome = { readonly problems: readonly string[] } | PostOutcome | 'void' | 'kept-out';

/** The functions of a module that lets calls ask. */
export interface AskingSeam {
  /** Creates the asker of one call. */
  outside(call: AskingCall): Asker;
  /** Returns the open questions of a turn, from its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
  /**
   * Checks an answer to an open question like the routes do, except for roles, and posts it to the lease
   * holder. For code that runs turns without a Worker. A principal given only by id belongs to the tenant of
   * the requesters.
   */
  answer(here: LocalTurn, sent: SentAnswer, by: string | TurnPrincipal): Promise<AnswerOutcome>;
}

/** The seam of questions. All calls of an app use the first module that provides it. */
export const ASKING = defineSeam<AskingSeam>();

/** Returns the asking functions of the app's modules, or `undefined`. */
export const findAskingSeam = (uses: readonly ModuleUse[]): AskingSeam | undefined =>
  uses.map((use) => ASKING.of(use)).find((asking) => asking !== undefined);

/** Returns the message that an answer no longer applies. */
export const formatQuestionChangedMessage = (tool: string): string =>
  `Tool '${tool}' has changed since this was asked, so the decision no longer applies. Call it again to ask again.`;
