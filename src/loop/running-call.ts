import { type AskOutside, askedOtherwise, askingOf } from '../journal/asking.ts';
import type { CallRecord } from '../journal/state.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { JsonObject } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { AnyTool, CallRun } from '../tool/tool.ts';
import type { Signal, ToolResult } from '../tool/tool-result.ts';
import type { AroundTime } from './around-time.ts';
import type { CallView } from './batch.ts';
import { CallStarts } from './call-starts.ts';
import { Interrupted } from './holder.ts';
import { inLoop, type Loop } from './loop.ts';

/**
 * The loop's side of a `CallRun`: one call whose tool may run, and how far it has come. Functions that a tool imports to do more than
 * every call does, such as `nest`, find it by the run that the tool has.
 */
export class RunningCall {
  readonly loop: Loop;
  /** Folded on while the call runs. */
  readonly record: CallRecord;
  readonly tool: AnyTool;
  /** The input that the tool gets, where another one has routed the call to it. */
  readonly input: JsonObject | undefined;
  readonly view: CallView;
  /** Counts the time of the code around the effect. */
  readonly time: AroundTime;
  /** The turns that it starts; absent where no session keeps them. */
  readonly starts: CallStarts | undefined;

  /** The tool got as far as its effect or its frame. */
  reached = false;
  /** Its effect was run, and may run only once. */
  ranOnce = false;
  /** It was answered by the caller who runs it. */
  received = false;
  /** Once the tool got there: resolves with what its effect or its loop came to, whatever code around that makes of it. */
  answer?: () => Promise<ToolResult>;
  /** Milliseconds inside `run`; absent when nothing ran. */
  ms?: number | undefined;
  /** The call was beyond this limit, and did not run. */
  limit?: ReachedLimit;
  /** What the effect or the frame sent, which reaches the loop whatever decorators made of the result. */
  signal?: Signal | undefined;
  /** Most calls ask no one. */
  #outside: AskOutside | undefined;
  #hasRun = false;

  constructor(
    of: Pick<RunningCall, 'loop' | 'record' | 'tool' | 'view' | 'time'> & { input?: JsonObject | undefined },
  ) {
    this.loop = of.loop;
    this.record = of.record;
    this.tool = of.tool;
    this.input = of.input;
    this.view = of.view;
    this.time = of.time;
    this.starts = of.loop.starts && new CallStarts(of.loop.starts, of.record);
  }

  /** @throws TypeError if the call was not handed out by a loop of this copy of holdfast. */
  static of(run: CallRun): RunningCall {
    if (run.inLoop instanceof RunningCall) return run.inLoop;
    throw new TypeError('This call was not made by a loop. Pass the call that the loop gave to the tool.');
  }

  /** Notes that the call reaches its effect or its loop. @throws if it may not. */
  enter(): void {
    const { loop, record } = this;
    const { signal } = loop.holder;
    // Code of a call that was left goes on by itself; what it still asks for is not for this turn's journal.
    if (signal.aborted) throw signal.reason;
    if (this.time.isOver) throw new Error('The call has ended, and nothing of it may run any more.');
    if (this.reached) throw new Error(`Tool '${record.name}' may execute or nest once a call, not twice.`);
    if (record.waits) mustAskAgain(this, this.#outside?.asked);
    this.reached = true;
  }

  /** Notes that the effect is over, or was left: its code asks no more. */
  leave(): void {
    this.#hasRun = true;
    this.#outside?.hasRun();
  }

  /** What it asks by. @throws as `askOutside`. */
  get asking(): AskOutside {
    this.#outside ??= askOutside(this);
    if (this.#hasRun) this.#outside.hasRun();
    return this.#outside;
  }
}

/** Makes what a call asks by. Without the module for it the call ends its turn as misconfigured. @throws Error outside of a session; ToolConfigurationError if no module of the app takes answers. */
function askOutside({ loop, record, tool }: RunningCall): AskOutside {
  const { journal, holder, secrets } = loop;
  if (!loop.inSession) throw new Error(cannotAsk(record.name));
  const asking = askingOf(loop.modules.uses);
  if (!asking)
    throw new ToolConfigurationError(needsAnswers(`Tool '${record.name}' asks somebody outside: it`));
  return asking.outside({
    record,
    tool,
    signal: holder.signal,
    secrets,
    changed: () => journal.changed,
    suspend(wait) {
      if (wait) journal.emit({ type: 'tool-call-suspended', ...inLoop(loop), call: record.id, wait });
      return new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
    },
  });
}

/** @throws Error if what a call asked before it restarted is not asked any more: its answer was for something else. */
function mustAskAgain({ loop, record }: RunningCall, asked = 0): void {
  const resumes = record.started !== undefined || loop.journal.state.turn?.frames.has(record.id);
  if (!resumes && asked < (record.waits?.length ?? 0)) throw new Error(askedOtherwise(record.name));
}

/** Returns the message that something needs the module of answers. */
export const needsAnswers = (what: string): string =>
  `${what} needs the module \`answers\`${literals?.mending.answers ?? '.'}`;

const cannotAsk = (tool: string): string =>
  `Tool '${tool}' asks somebody outside: only in a session can it wait for the answer.`;
