import { inFrame } from '../journal/events.ts';
import type { CallRecord, FrameState } from '../journal/state.ts';
import type { CallScope, ToolInvocation } from '../tools/tool.ts';
import type { CallView } from './call-view.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';
import { runFrame } from './run-frame.ts';
import { runLeaf } from './run-leaf.ts';

/** What a tool is called with, and what became of it. */
export interface PreparedCall {
  readonly call: ToolInvocation;
  /** The tool got as far as its effect or its frame. */
  reached(): boolean;
  /** Milliseconds inside `run`, or `undefined` when nothing ran. */
  ms(): number | undefined;
}

/** Binds one call to the loop that runs it. */
export function createInvocation(
  loop: Loop,
  frame: FrameState,
  record: CallRecord,
  view: CallView,
): PreparedCall {
  let ms: number | undefined;
  let reached = false;
  const enter = (): void => {
    // Code of a call that was left goes on by itself; what it still asks for is not for this turn's journal.
    if (loop.invocation.signal.aborted) throw loop.invocation.signal.reason;
    if (reached)
      throw new Error(`Tool '${record.name}' may execute, nest or suspend once a call, not twice.`);
    reached = true;
  };
  const scope: CallScope = {
    id: record.id,
    tool: record.name,
    context: loop.context,
    signal: loop.invocation.signal,
    state: view.state,
    blackboard: view.blackboard,
    progress: (status) => loop.live.progress(record.id, status),
  };
  const call: ToolInvocation = {
    ...scope,
    execute: async (leaf) => {
      enter();
      const ran = await runLeaf(loop, record, scope, leaf);
      ms = ran.ms;
      return ran.result;
    },
    nest: (config) => {
      enter();
      return runFrame(loop, frame, record, config);
    },
    suspend: (wait) => {
      enter();
      const { turn } = loop;
      loop.journal.emit({ type: 'tool-call-suspended', turn, ...inFrame(frame.id), call: record.id, wait });
      throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
    },
  };
  return { call, reached: () => reached, ms: () => ms };
}
