/** The seam by which calls ask somebody outside the turn. */
import type { CallContext } from '../tool/call.ts';
import type { Json } from '../tool/json.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { StoredEvent } from './events.ts';
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

/** The functions of a module by which calls ask. */
export interface Asking {
  /** Makes what one call asks by. */
  outside(call: AskingCall): AskOutside;
  /** Returns what a turn waits for, by its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
}

/** The seam of questions: all calls of an app ask by the first use that has it. */
export const ASKING = defineSeam<Asking>();

/** Returns what calls ask by, if a module of the app brings it. */
export const askingOf = (uses: readonly ModuleUse[]): Asking | undefined =>
  uses.map((use) => ASKING.of(use)).find((asking) => asking !== undefined);

/** Says that an answer is void. */
export const askedOtherwise = (tool: string): string =>
  `Tool '${tool}' has changed since this was asked, so what was decided does not hold for it. Call it again to ask again.`;
