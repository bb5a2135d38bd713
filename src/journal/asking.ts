/** The seam by which calls ask somebody outside the turn. */
import type { CallContext, TurnPrincipal } from '../tool/call.ts';
import type { Json } from '../tool/json.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { StoredEvent } from './events.ts';
import type { Posted } from './inbox-message.ts';
import type { SessionPort } from './session-port.ts';
import type { CallRecord } from './state.ts';
import type { PendingCall, Wait } from './wait.ts';

/** A call that asks, as its loop shows it to the module. */
export interface AskingCall {
  /** Folded on while the call runs. */
  readonly record: CallRecord;
  readonly tool: Pick<AnyTool, 'inputSchema'>;
  /** Aborts when this invocation may not act for the turn any more. */
  readonly signal: AbortSignal;
  /** The secrets of the turn, which are redacted from its questions. */
  readonly secrets: Pick<Secrets, 'redact'>;
  /** Resolves when the journal has changed. */
  changed(): Promise<void>;
  /** Journals that the call waits, if that is given. Returns what leaves the call until the answer is there. */
  suspend(wait: Wait | undefined): Error;
}

/** How a call asks somebody outside the turn, and finds the answers when it restarts. */
export interface AskOutside extends Pick<CallContext, 'ask'> {
  /** How many questions the call has asked since it restarted. */
  readonly asked: number;
  /** Returns the checkpoint of the next question, if it was asked before. */
  checkpoint(): Json | undefined;
  /** Notes that `run` is over, or was left: what it still asks while it runs is not asked any more. */
  hasRun(): void;
}

/** An answer as it is sent, to the question that it names. */
export interface SentAnswer {
  readonly for: Wait['for'];
  readonly call: string;
  /** Which question of the call, from 1. */
  readonly question: number;
  /** What it says, not checked. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Where it is in what was sent, as problems name it. Absent if it is all of it. */
  readonly at?: readonly PropertyKey[] | undefined;
}

/** An open turn, as code that runs it has it. */
export interface AnsweredTurnHere {
  readonly port: Pick<SessionPort, 'post'>;
  readonly agent: { readonly tools: readonly AnyTool[] };
  /** Of the turn. */
  readonly events: readonly StoredEvent[];
}

/**
 * The outcome of an answer: what is wrong with it, or whether it was left for the lease holder. `kept-out`: its sender is one of those
 * who may not decide. `void`: the tool has changed since it asked.
 */
export type AnswerOutcome = { readonly problems: readonly string[] } | Posted | 'void' | 'kept-out';

/** The functions of a module by which calls ask. */
export interface Asking {
  /** Makes what one call asks by. */
  outside(call: AskingCall): AskOutside;
  /** Returns what a turn waits for, by its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
  /**
   * Checks an answer of an open question as the routes do, but for roles, and leaves it for the lease holder: for code that runs turns without
   * a Worker. Whoever is named by an id alone is of the tenant of those who asked.
   */
  answer(here: AnsweredTurnHere, sent: SentAnswer, by: string | TurnPrincipal): Promise<AnswerOutcome>;
}

/** The seam of questions: all calls of an app ask by the first use that has it. */
export const ASKING = defineSeam<Asking>();

/** Returns what calls ask by, if a module of the app brings it. */
export const askingOf = (uses: readonly ModuleUse[]): Asking | undefined =>
  uses.map((use) => ASKING.of(use)).find((asking) => asking !== undefined);

/** Says that an answer is void. */
export const askedOtherwise = (tool: string): string =>
  `Tool '${tool}' has changed since this was asked, so what was decided does not hold for it. Call it again to ask again.`;
