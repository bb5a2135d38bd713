import type { ScheduledMessage } from '../journal/events.ts';
import { type CallRecord, openBatch } from '../journal/state.ts';
import { parseToolInput } from '../tool/check-input.ts';
import type { AnyTool, LiveCall } from '../tool/tool.ts';
import type { Signal } from '../tool/tool-result.ts';
import { CallView } from './call-view.ts';
import type { Loop } from './loop.ts';
import { signalOf } from './next-step.ts';
import { type Offer, offerTools, routed, type Target } from './offer-tools.ts';

/** One call of a batch, with all that it takes to run it: made once, when its turn has come, and handed down. */
export interface ToolCallRun extends BatchCall {
  readonly loop: Loop;
  /** All calls of the reply. They are folded on while they run. */
  readonly batch: readonly CallRecord[];
  /** What the model could have called. */
  readonly offer: Offer;
  readonly view: CallView;
  /** The signal by which another call had ended the loop when this one's turn came. */
  readonly signal: Signal | undefined;
}

/** A run whose tool was offered, and may be called. */
export type PermittedRun = ToolCallRun & Target;

/** What a tool is called with, and what became of it. */
export interface PreparedCall {
  readonly call: LiveCall;
  /** Goes on while the tool runs. */
  readonly progress: Readonly<CallProgress>;
  /** All that the call has scheduled. */
  scheduled(): Promise<readonly ScheduledMessage[]>;
}

/** How far a call has come; written while it runs. */
export interface CallProgress {
  /** The tool got as far as its effect or its frame. */
  reached: boolean;
  /** Its effect was run, and may run only once. */
  ranOnce: boolean;
  /** It was answered by the caller who runs it. */
  received: boolean;
  /** Milliseconds inside `run`; absent when nothing ran. */
  ms?: number | undefined;
  /** What the effect or the frame sent, which reaches the loop whatever decorators made of the result. */
  signal?: Signal | undefined;
}

/** The calls of a reply that are still open, in groups that may not run at the same time. */
export interface Batch extends Pick<ToolCallRun, 'loop' | 'batch' | 'offer'> {
  /** Lanes run side by side, and the calls of one lane one after another. */
  readonly lanes: readonly (readonly BatchCall[])[];
}

/** One call, and where it belongs. */
interface BatchCall extends Partial<Target> {
  readonly record: CallRecord;
  /** The tool that the call is meant for; absent when it was not offered. */
  readonly tool?: AnyTool;
  /** The calls of its lane before it, in source order, also those that have ended. */
  readonly earlier: readonly CallRecord[];
}

/** The calls of the last reply that have not ended, each with the tool that it is meant for. */
export function batchOf(loop: Loop): Batch {
  const offer = offerTools(loop, 'last-reply');
  const batch = openBatch(loop.frame);
  const met = new Map<string, CallRecord[]>();
  const lanes = new Map<string, BatchCall[]>();
  for (const record of batch) {
    const offered = offer.byName.get(record.name);
    const target = offered && routed(offered, record);
    const serial = target && serialKeyOf(target, record);
    const lane = serial === undefined ? `call ${record.id}` : `serial ${serial}`;
    const earlier = met.get(lane) ?? [];
    met.set(lane, [...earlier, record]);
    if (!record.ended) lanes.set(lane, [...(lanes.get(lane) ?? []), { record, ...target, earlier }]);
  }
  return { loop, batch, offer, lanes: [...lanes.values()] };
}

/** The word that a call has in common with those of its batch beside which it may not run; `undefined` when it runs beside all. */
function serialKeyOf({ tool, input }: Target, record: CallRecord): string | undefined {
  if (typeof tool.serial !== 'function') return tool.serial;
  const parsed = input ? { ok: true as const, input } : parseToolInput(tool.name, record.input);
  return parsed.ok ? tool.serial(parsed.input) : undefined;
}

/** Makes the run of a call. The calls before it in its lane must have ended, since it sees what they changed. */
export function runOf({ loop, batch, offer }: Batch, call: BatchCall): ToolCallRun {
  const view = new CallView(loop, call.record, call.earlier);
  return { ...call, loop, batch, offer, view, signal: signalOf(batch) };
}
