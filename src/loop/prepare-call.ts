import { hasBegun } from '../journal/state.ts';
import type { CallScope, HistoryMessage } from '../tool/call.ts';
import type { LiveCall } from '../tool/tool.ts';
import type { Signal } from '../tool/tool-result.ts';
import { askOutside } from './call-questions.ts';
import { discoveryOf } from './discover-tools.ts';
import type { Loop } from './loop.ts';
import { loopView, offeredIn } from './offer-tools.ts';
import { processView } from './process-view.ts';
import { runExecution } from './run-execution.ts';
import { runFrame } from './run-frame.ts';
import { scheduling } from './scheduling.ts';
import { shownHistory, toHistory } from './shown-history.ts';
import type { CallProgress, PermittedRun, PreparedCall } from './tool-call-run.ts';

/** Binds one call to the loop that runs it. */
export function prepareCall(run: PermittedRun): PreparedCall {
  const { loop, record, view } = run;
  const { schedule, scheduled } = scheduling({ ...loop, call: record.id });
  const outside = askOutside(run);
  const progress: CallProgress = { reached: false, ranOnce: false, received: false };
  const scope: CallScope = {
    id: record.id,
    tool: run.tool.name,
    context: loop.spec.context,
    signal: loop.holder.signal,
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
    history: () => callHistory(loop),
    decide: outside.decide,
  };
  const enter = (): void => {
    // Code of a call that was left goes on by itself; what it still asks for is not for this turn's journal.
    if (scope.signal.aborted) throw scope.signal.reason;
    if (progress.reached)
      throw new Error(`Tool '${record.name}' may execute or nest once a call, not twice.`);
    outside.assertAsked();
    progress.reached = true;
  };
  const call: LiveCall = {
    ...scope,
    ...memoryOf(run),
    execute: async (execution) => {
      enter();
      progress.ranOnce = execution.effect === 'once';
      const asking = { ...scope, decideWhileRunning: outside.decideWhileRunning };
      const { result, ms } = await runExecution(run, asking, loop.around?.(execution) ?? execution).finally(
        outside.hasRun,
      );
      progress.ms = ms;
      progress.signal = result.signal;
      return result;
    },
    nest: async (frame) => {
      enter();
      const outcome = await runFrame(run, frame);
      progress.signal = outcome.signal && endsTurn(outcome.signal) ? outcome.signal : undefined;
      return outcome;
    },
    decide: async (request) => {
      if (!progress.ranOnce) return outside.decide(request);
      throw new Error(`Tool '${record.name}' has run, and cannot ask any more: ask before it executes.`);
    },
    receive: async (request) => {
      const result = await outside.receive(request);
      progress.received = true;
      return result;
    },
  };
  return { call, progress, scheduled };
}

type Memory = 'view' | 'discovery' | 'offered' | 'offeredAfter' | 'exclusively' | 'hasBegun' | 'resumesFrame';

/** What a call knows of its loop and of itself, and what it has remembered. */
function memoryOf({ loop, record, view, offer }: PermittedRun): Pick<LiveCall, Memory> {
  const { frame, holder, journal } = loop;
  const { turn } = journal.state;
  const seen = loopView(loop, 'last-reply', view.recall);
  return {
    view: seen,
    discovery: discoveryOf(loop, seen, holder.signal),
    offered: () => [...offer.byName.values()],
    offeredAfter: (memory, fact) =>
      offeredIn(loop, loopView(loop, 'last-reply', view.recallAfter(memory, fact))),
    exclusively: async (word, work) => {
      await loop.locks.acquire({ call: record.id, path: frame.path, word });
      holder.signal.throwIfAborted();
      return work((memory, path = frame.path) => loop.memories.valueIn(journal.state.memories, memory, path));
    },
    hasBegun: turn !== undefined && hasBegun(turn, record),
    resumesFrame: turn?.frames.has(record.id) ?? false,
  };
}

/**
 * What the model was shown when it made a call, and the reply in which it did. A copy, so that nothing a tool does
 * changes what the journal says.
 */
const callHistory = ({ spec, frame: { messages } }: Loop): readonly HistoryMessage[] =>
  structuredClone([...shownHistory(spec, messages.slice(0, -1)), ...toHistory(messages.slice(-1))]);

/** The others end the loop in which they were sent, and no further. */
const endsTurn = ({ type }: Signal): boolean => type !== 'replan' && type !== 'terminate-action';
