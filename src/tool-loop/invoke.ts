import type { CallRecord, FrameState } from '../journal/state.ts';
import type { ToolInvocation } from '../tools/tool.ts';
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
    if (reached) throw new Error(`Tool '${record.name}' executed twice in one call.`);
    reached = true;
  };
  const call: ToolInvocation = {
    id: record.id,
    tool: record.name,
    context: loop.context,
    signal: loop.invocation.signal,
    state: view.state,
    blackboard: view.blackboard,
    progress: (status) => loop.live.progress(record.id, status),
    execute: async (leaf) => {
      enter();
      const ran = await runLeaf(loop, record, call, leaf);
      ms = ran.ms;
      return ran.result;
    },
    nest: (config) => {
      enter();
      return runFrame(loop, frame, record, config);
    },
    suspend: (wait) => {
      enter();
      const inFrame = frame.id === '' ? {} : { frame: frame.id };
      loop.journal.emit({ type: 'tool-call-suspended', turn: loop.turn, ...inFrame, call: record.id, wait });
      throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
    },
  };
  return { call, reached: () => reached, ms: () => ms };
}
