import { type Asker, findAskingSeam, formatQuestionChangedMessage } from '../journal/asking.ts';
import type { CallRecord } from '../journal/state.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { JsonObject } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { AnyTool, CallRun } from '../tool/tool.ts';
import type { Signal, ToolResult } from '../tool/tool-result.ts';
import type { OverheadTimer } from './around-time.ts';
import type { CallView } from './batch.ts';
import { CallStarts } from './call-starts.ts';
import { InterruptionError } from './holder.ts';
import { type Loop, toLoopFields } from './loop.ts';

/**
 * The loop's side of a `CallRun`: a call whose tool can run, and its progress. Functions such as `nest`,
 * which need more than a `CallRun`, look it up from the run.
 */
export class RunningCall {
  readonly loop: Loop;
  /** The fold updates it while the call runs. */
  readonly record: CallRecord;
  readonly tool: AnyTool;
  /** The input of the tool, if another tool routed the call to it. */
  readonly input: JsonObject | undefined;
  readonly view: CallView;
  /** Limits the time of the code around the effect. */
  readonly time: OverheadTimer;
  /** The turns that it starts. Absent without a session. */
  readonly starts: CallStarts | undefined;

  /** `true` if the tool reached its effect or its frame. */
  reached = false;
  /** `true` if its effect ran and has the effect `once`. */
  ranOnce = false;
  /** `true` if a caller supplied its result. */
  isSupplied = false;
  /**
   * Set when the tool reaches its effect or its loop. Resolves with that result, before the code around it
   * changes it.
   */
  answer?: () => Promise<ToolResult>;
  /** Milliseconds spent in `run`. Absent if it did not run. */
  ms?: number | undefined;
  /** The limit that prevented the call from running. */
  limit?: ReachedLimit;
  /**
   * The signal of the effect or the frame. It reaches the loop even if a decorator drops it from the result.
   */
  signal?: Signal | undefined;
  /** Created on first use, since most calls ask no questions. */
  #outside: Asker | undefined;
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

  /**
   * Returns the running call of a run.
   *
   * @throws TypeError if the call does not come from a loop of this copy of holdfast.
   */
  static of(run: CallRun): RunningCall {
    if (run.inLoop instanceof RunningCall) return run.inLoop;
    throw new TypeError('This call was not made by a loop. Pass the call that the loop gave to the tool.');
  }

  /**
   * Records that the call reaches its effect or its loop.
   *
   * @throws Error if the call must not.
   */
  enter(): void {
    const { loop, record } = this;
    const { signal } = loop.holder;
    // Code of an abandoned call keeps running, but cannot start more work in this turn.
    if (signal.aborted) throw signal.reason;
    if (this.time.isOver) throw new Error('The call has ended, so its code must stop.');
    if (this.reached) throw new Error(`Tool '${record.name}' can execute or nest only once per call.`);
    if (record.waits) checkQuestions(this, this.#outside?.asked);
    this.reached = true;
  }

  /** Records that the effect is over or abandoned, so its code can no longer ask. */
  leave(): void {
    this.#hasRun = true;
    this.#outside?.hasRun();
  }

  /**
   * The object through which the call asks questions.
   *
   * @throws as `createAsker` does.
   */
  get asking(): Asker {
    this.#outside ??= createAsker(this);
    if (this.#hasRun) this.#outside.hasRun();
    return this.#outside;
  }
}

/**
 * Creates the object through which a call asks questions.
 *
 * @throws Error outside of a session.
 * @throws ToolConfigurationError if no module of the app accepts answers. The turn then ends as
 * misconfigured.
 */
function createAsker({ loop, record, tool }: RunningCall): Asker {
  const { journal, holder, secrets } = loop;
  if (!loop.inSession) throw new Error(formatCannotAskMessage(record.name));
  const asking = findAskingSeam(loop.modules.uses);
  if (!asking)
    throw new ToolConfigurationError(
      formatMissingAnswersModuleMessage(`Tool '${record.name}' asks a question, which`),
    );
  return asking.outside({
    record,
    tool,
    signal: holder.signal,
    secrets,
    changed: () => journal.changed,
    suspend(wait) {
      if (wait) journal.emit({ type: 'tool-call-suspended', ...toLoopFields(loop), call: record.id, wait });
      return new InterruptionError('suspended', `Call ${record.id} waits for an answer.`);
    },
  });
}

/**
 * Checks that a restarted call asks the same questions as before.
 *
 * @throws Error if it skips one, since the answer would then apply to another question.
 */
function checkQuestions({ loop, record }: RunningCall, asked = 0): void {
  const resumes = record.started !== undefined || loop.journal.state.turn?.frames.has(record.id);
  if (!resumes && asked < (record.waits?.length ?? 0))
    throw new Error(formatQuestionChangedMessage(record.name));
}

/** Returns an error message for a feature that needs the `answers` module. */
export const formatMissingAnswersModuleMessage = (what: string): string =>
  `${what} needs the module \`answers\`${literals?.mending.answers ?? '.'}`;

const formatCannotAskMessage = (tool: string): string =>
  `Tool '${tool}' asks a question, but only a session can wait for the answer.`;
