import { type CallRecord, type FrameState, hasBegun } from '../journal/state.ts';
import type { AnyTool, CallScope, ToolInvocation } from '../tools/tool.ts';
import type { Signal } from '../tools/tool-result.ts';
import { askOutside } from './ask-outside.ts';
import { callHistory } from './call-history.ts';
import type { CallView } from './call-view.ts';
import { discoveryOf } from './discover-tools.ts';
import type { Loop } from './loop.ts';
import { loopView } from './loop-view.ts';
import { type Offer, offeredIn } from './offer-tools.ts';
import { processView } from './process-view.ts';
import { runFrame } from './run-frame.ts';
import { runLeaf } from './run-leaf.ts';
import type { Scheduling } from './scheduling.ts';

/** What a tool is called with, and what became of it. */
export interface PreparedCall {
  readonly call: ToolInvocation;
  /** The tool got as far as its effect or its frame. */
  reached(): boolean;
  /** It got that far, or was answered by the caller who runs it: what it says is what it was called for. */
  acted(): boolean;
  /** Milliseconds inside `run`, or `undefined` when nothing ran. */
  ms(): number | undefined;
  /** What the effect or the frame sent, which reaches the loop whatever decorators made of the result. */
  signal(): Signal | undefined;
}

interface Binding {
  readonly loop: Loop;
  readonly frame: FrameState;
  readonly record: CallRecord;
  readonly tool: AnyTool;
  readonly view: CallView;
  readonly offered: Offer['byName'];
  readonly schedule: Scheduling['schedule'];
}

/** Binds one call to the loop that runs it. */
export function createInvocation({
  loop,
  frame,
  record,
  tool,
  view,
  offered,
  schedule,
}: Binding): PreparedCall {
  let ms: number | undefined;
  let reached = false;
  let ranOnce = false;
  let received = false;
  let signal: Signal | undefined;
  const outside = askOutside(loop, record, tool);
  const enter = (): void => {
    // Code of a call that was left goes on by itself; what it still asks for is not for this turn's journal.
    if (loop.invocation.signal.aborted) throw loop.invocation.signal.reason;
    if (reached) throw new Error(`Tool '${record.name}' may execute or nest once a call, not twice.`);
    outside.assertAsked();
    reached = true;
  };
  const scope: CallScope = {
    id: record.id,
    tool: tool.name,
    context: loop.context,
    signal: loop.invocation.signal,
    state: view.state,
    blackboard: view.blackboard,
    secrets: loop.secrets,
    inSession: loop.inSession,
    process: processView(loop),
    now: view.now,
    record: view.record,
    recall: view.recallNow,
    progress: (status) => loop.live.progress(record.id, loop.secrets.redact(status)),
    say: view.say,
    schedule,
    history: () => callHistory(loop, frame),
    decide: outside.decide,
  };
  const seen = loopView(loop, frame, 'last-reply', view.recall);
  const call: ToolInvocation = {
    ...scope,
    view: seen,
    discovery: discoveryOf(loop, seen, loop.invocation.signal),
    offered: () => [...offered.values()],
    offeredAfter: (memory, fact) =>
      offeredIn(loop, loopView(loop, frame, 'last-reply', view.recallAfter(memory, fact))),
    exclusively: async (word, work) => {
      await loop.locks.acquire({ call: record.id, path: frame.path, word });
      loop.invocation.signal.throwIfAborted();
      return work((memory, path = frame.path) =>
        loop.memories.valueIn(loop.journal.state.slices, memory, path),
      );
    },
    execute: async (leaf) => {
      enter();
      ranOnce = leaf.effect === 'once';
      const asking = { ...scope, decideWhileRunning: outside.decideWhileRunning };
      const ran = await runLeaf(loop, record, asking, loop.leaf?.(leaf) ?? leaf).finally(outside.hasRun);
      ms = ran.ms;
      signal = ran.result.signal;
      return ran.result;
    },
    hasBegun: loop.journal.state.turn !== undefined && hasBegun(loop.journal.state.turn, record),
    resumesFrame: loop.journal.state.turn?.frames.has(record.id) ?? false,
    nest: async (config) => {
      enter();
      const outcome = await runFrame(loop, frame, record, config);
      signal = outcome.signal && endsTurn(outcome.signal) ? outcome.signal : undefined;
      return outcome;
    },
    decide: async (request) => {
      if (ranOnce)
        throw new Error(`Tool '${record.name}' has run, and cannot ask any more: ask before it executes.`);
      return outside.decide(request);
    },
    receive: async (request) => {
      const result = await outside.receive(request);
      received = true;
      return result;
    },
  };
  return {
    call,
    reached: () => reached,
    acted: () => reached || received,
    ms: () => ms,
    signal: () => signal,
  };
}

/** The others end the loop in which they were sent, and no further. */
const endsTurn = ({ type }: Signal): boolean => type !== 'replan' && type !== 'terminate-action';
