import type { AskOutside } from '../journal/asking.ts';
import { hasBegun } from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import { untilAborted } from '../tool/async.ts';
import type { CallContext, HistoryMessage, Question, ToolEffect } from '../tool/call.ts';
import { CALLS } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import { SignalError } from '../tool/signals.ts';
import type { CallRun } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { AroundTime } from './around-time.ts';
import { askOutside, mustAskAgain } from './ask-outside.ts';
import { CallStarts } from './call-starts.ts';
import { isCutOff } from './exception-processor.ts';
import { isInterrupted } from './holder.ts';
import { inLoop, type Loop, principalOf } from './loop.ts';
import { needsFiles } from './loop-files.ts';
import { runInModules } from './loop-seams.ts';
import { loopView, offeredIn } from './offer-tools.ts';
import { processView } from './process-view.ts';
import {
  foundOut,
  inDoubt,
  lastWord,
  type Running,
  reconciled,
  type Said,
  stopped,
  withoutAnswer,
} from './reconcile.ts';
import { shownHistory, toHistory } from './shown-history.ts';
import { exceptionResult, resultOf, tellThrown, tellUnchained } from './tool-answer.ts';
import type { CallProgress, PermittedRun, PreparedCall } from './tool-call-run.ts';

/** The parts of a call that functions know which a tool imports to do more than every call does. */
export interface CallParts extends Pick<PermittedRun, 'loop' | 'record'> {
  readonly progress: CallProgress;
  readonly time: AroundTime;
  /** Notes that the call reaches its effect or its loop. @throws if it may not. */
  enter(): void;
}

/** A call as those functions find it. */
export class RunningCall {
  readonly parts: CallParts;

  constructor(parts: CallParts) {
    this.parts = parts;
  }

  /** @throws TypeError if the call was not handed out by a loop of this copy of holdfast. */
  static of({ inLoop }: CallRun): CallParts {
    if (inLoop instanceof RunningCall) return inLoop.parts;
    throw new TypeError('This call was not made by a loop. Pass the call that the loop gave to the tool.');
  }
}

/** Binds one call to the loop that runs it. `time` counts the code around it. */
export function prepareCall(run: PermittedRun, time: AroundTime, idempotencyKey: string): PreparedCall {
  const { loop, record, offer, view } = run;
  const starts = loop.starts && new CallStarts(loop.starts, record);
  // Most calls ask nobody.
  let outside: AskOutside | undefined;
  let hasRun = false;
  const asking = (): AskOutside => {
    outside ??= askOutside(run);
    if (hasRun) outside.hasRun();
    return outside;
  };
  const progress: CallProgress = { reached: false, ranOnce: false, received: false };
  const scope = scopeOf(run, {
    idempotencyKey,
    origin: starts,
    ask: async (question) => asking().ask(question),
    checkpoint: () => record.waits && asking().checkpoint(),
  });
  const enter = (): void => {
    // Code of a call that was left goes on by itself; what it still asks for is not for this turn's journal.
    if (scope.signal.aborted) throw scope.signal.reason;
    time.assertCounts();
    if (progress.reached)
      throw new Error(`Tool '${record.name}' may execute or nest once a call, not twice.`);
    if (record.waits) mustAskAgain(run, outside?.asked);
    progress.reached = true;
  };
  const { turn } = loop.journal.state;
  const call: CallRun = {
    ...scope,
    asked: record,
    view: loopView(loop, 'last-reply', view.recall),
    offered: () => [...offer.byName.values()],
    offeredAfter: (memory, fact) =>
      offeredIn(loop, loopView(loop, 'last-reply', view.recallAfter(memory, fact))),
    hasBegun: turn !== undefined && hasBegun(turn, record),
    inLoop: new RunningCall({ loop, record, progress, time, enter }),
    during: time.during,
    untimed: time.outside,
    execute: async (execution) => {
      enter();
      progress.ranOnce = execution.effect === 'once';
      const ran = time.outside(() => runExecution(run, { call, scope, execution }));
      progress.answer = async () => (await ran).result;
      try {
        const { result, ms } = await ran;
        progress.ms = ms;
        progress.signal = result.signal;
        return result;
      } finally {
        hasRun = true;
        outside?.hasRun();
      }
    },
    ask: async (question) => {
      if (progress.ranOnce)
        throw new Error(`Tool '${record.name}' has run, and cannot ask any more: ask before it executes.`);
      const answer = await scope.ask(question);
      progress.received ||= question.for === 'result';
      return answer;
    },
  };
  return { call, progress, starts };
}

/** What every tool and decorator is given of its call. */
const scopeOf = (
  { loop, record, view, tool }: PermittedRun,
  of: Pick<CallContext, 'idempotencyKey' | 'origin' | 'ask' | 'checkpoint'>,
): CallContext => ({
  id: record.id,
  tool: tool.name,
  context: loop.spec.context,
  principal: principalOf(loop),
  signal: loop.holder.signal,
  state: view.state,
  blackboard: view.blackboard,
  secrets: loop.secrets,
  log: loop.log,
  // Messages that it sends to other sessions are of its tree.
  env: of.origin ? CALLS.envOfCall(loop.env, of.origin) : loop.env,
  inSession: loop.inSession,
  process: processView(loop),
  now: view.now,
  startedAt: view.now(),
  record: view.record,
  recall: view.recallNow,
  progress: (status) => loop.live.progress(record.id, loop.secrets.redact(status)),
  say: view.say,
  async file(id) {
    if (loop.files) return loop.files.find(id);
    throw new TypeError(needsFiles('`call.file`'));
  },
  history: () => callHistory(loop),
  ...of,
});

/**
 * What the model was shown when it made a call, and the reply in which it did. A copy, so that nothing a tool does
 * changes what the journal says.
 */
const callHistory = (loop: Loop): readonly HistoryMessage[] => {
  const { messages } = loop.frame;
  return structuredClone([...shownHistory(loop, messages.slice(0, -1)), ...toHistory(messages.slice(-1))]);
};

/**
 * Runs the part of a tool that acts. The start is durable first, unless the effect is `read`. A call that an earlier
 * invocation started is run again under its id, except a `once` call: that is reconciled, or its outcome is unknown. One that is
 * run after all is journaled as started anew: whoever finds it open next must know how young its last request may be.
 *
 * @throws Interrupted when the call is left open for another invocation or for the turn's end to answer.
 */
async function runExecution(
  { loop, record, tool }: PermittedRun,
  { call: run, scope, execution: declared }: { call: CallRun; scope: CallContext; execution: ToolEffect },
): Promise<Ran> {
  const { holder, slots } = loop;
  const inherited = record.started;
  // What was started as more than a read may have happened, whatever its tool has become since.
  const isWeakened = inherited === 'idempotent' && declared.effect === 'read';
  const execution: ToolEffect = isWeakened ? { ...declared, effect: inherited } : declared;
  // Begun as what may be repeated, and no longer so: run again, it could happen twice.
  const isInDoubt = inherited === 'once' || (inherited === 'idempotent' && execution.effect === 'once');
  return slots.hold(async () => {
    holder.claim({ subrequests: execution.subrequests ?? 1, ms: execution.timeout });
    // A tool whose effect has changed since it was started starts anew, under the effect that it has now.
    const goesOn = isInDoubt || inherited === execution.effect;
    const started = goesOn ? undefined : start(loop, record, execution);
    await started;
    const call: CallContext = {
      ...scope,
      ...(execution.effect === 'once' && { ask: fromCheckpoint(scope) }),
      startedAt: isInDoubt ? startBefore(loop, record) : holder.now(),
    };
    const running: Running = { loop, record, tool, run, execution, call };
    if (isInDoubt) {
      const found = await foundOut(running);
      if (found.verdict !== 'not-done') return { result: found.result };
      if (!holder.signal.aborted) await start(loop, record, execution);
    }
    if (holder.signal.aborted) return { result: (inherited ? stopped : withoutAnswer)(running) };
    holder.assertHeld();
    const began = holder.now();
    const result = await runOnce({ ...running, call: { ...call, startedAt: began } });
    return { result, ms: holder.now() - began };
  });
}

/**
 * When another invocation started a call last. What was begun as idempotent has been run again since without a word in the
 * journal, perhaps until this invocation took the turn over: it counts as started now.
 */
function startBefore({ holder, startsBefore }: Loop, { id, started }: CallRecord): number {
  const journaled = started === 'once' ? startsBefore.get(id) : undefined;
  return journaled ?? holder.now();
}

async function start(loop: Loop, { id: call }: CallRecord, { effect }: ToolEffect): Promise<void> {
  const { journal, memories, secrets } = loop;
  const held = secrets.redact(memories.heldBy(call));
  journal.emit({ type: 'tool-call-started', ...inLoop(loop), call, effect, ...held });
  // What counts even if the call is killed must be stored before it can be.
  if (effect !== 'read' || held.atEnd) await journal.durable();
}

/** What a `once` call has done when it asks inside `run` would happen again after the answer, unless it stays or says where it resumes. */
const fromCheckpoint =
  ({ ask }: Pick<CallContext, 'ask'>): CallContext['ask'] =>
  async (question) => {
    const asked: Question = question;
    if (asked.for === 'decision' && (asked.meanwhile === 'running' || asked.checkpoint !== undefined))
      return ask(question);
    throw new Error(
      "A tool whose effect is 'once' cannot ask inside run without a checkpoint, since run would begin anew after the answer. " +
        'Ask before it, with requireApproval or withAwaiting.',
    );
  };

/** What came of an effect, and how long `run` took. */
interface Ran {
  readonly result: ToolResult;
  readonly ms?: number;
}

/** `run` against its timeout and the signal of whoever holds the turn. */
async function runOnce(begun: Running): Promise<ToolResult> {
  const { holder } = begun.loop;
  const { execution } = begun;
  const stop = new AbortController();
  const outOfTime = new DOMException(`${execution.timeout} ms are over.`, 'TimeoutError');
  const cancel = holder.after(execution.timeout, () => stop.abort(outOfTime));
  const signal = AbortSignal.any([holder.signal, stop.signal]);
  const running: Running = { ...begun, call: { ...begun.call, signal } };
  let isRunning = true;
  try {
    const answer = saidBy(running).finally(() => {
      isRunning = false;
    });
    const first = await untilAborted(signal, answer).catch(noAnswer);
    if (first !== 'no-answer') return first;
    if (execution.effect !== 'once') return stopped(running);
    const word = signal.aborted ? await lastWord(holder, answer) : first;
    if (word !== 'no-answer') return word;
    const wasRunning = isRunning;
    const found = await reconciled(running);
    const code = wasRunning ? (isRunning ? 'running' : 'answered') : 'gone';
    return await inDoubt(code, { ...running, ...found, answer });
  } finally {
    cancel();
  }
}

/**
 * A tool that throws says that it failed, unless it was cut off or told to stop: whatever is thrown then, there is no
 * answer, and nobody knows.
 */
async function saidBy(running: Running): Promise<Said> {
  const { loop, tool, call } = running;
  try {
    const { uses } = loop.spec;
    const returned = await (uses.length > 0
      ? runInModules(uses, { run: running.run, context: call, effect: running.execution })
      : running.execution.run(call));
    if (literals) tellUnchained(loop, tool, returned);
    return await resultOf(loop, call.tool, returned);
  } catch (thrown) {
    if (isInterrupted(thrown, 'suspended')) throw thrown;
    const isCut = call.signal.aborted || isCutOff(thrown);
    if (isCut && !(thrown instanceof SignalError)) {
      if (!call.signal.aborted) tellThrown(loop, { tool: call.tool, thrown });
      return 'no-answer';
    }
    return exceptionResult(loop, tool, thrown);
  }
}

function noAnswer(thrown: unknown): 'no-answer' {
  if (isInterrupted(thrown, 'suspended')) throw thrown;
  return 'no-answer';
}
