/** How calls end, and how much of their results is journaled. */
import type { CallChanges, SessionEvent } from '../journal/events.ts';
import { listFactsAtEnd } from '../journal/memories.ts';
import { listOuterFrames } from '../journal/spending.ts';
import type { CallRecord } from '../journal/state.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import { joinParagraphs } from '../tool/json.ts';
import { createErrorEntry } from '../tool/log.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { CallRun, RemarkedCall } from '../tool/tool.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import {
  createToolResult,
  getModelText,
  isSuccess,
  type ResultData,
  type Signal,
  type ToolResult,
  withText,
} from '../tool/tool-result.ts';
import { type Loop, toLoopFields } from './loop.ts';
import type { RunningCall } from './running-call.ts';
import { toJournaledResult } from './tool-answer.ts';

/** How a call ended, before its event is made. */
export interface CallEnding {
  readonly result: ToolResult;
  /** The limit that prevented the call from running. */
  readonly limit?: ReachedLimit;
  readonly direct?: boolean;
  readonly changes?: CallChanges | undefined;
  /** Messages from the call to the user, in order. */
  readonly said?: readonly string[];
  /** Milliseconds spent in `run`, or `undefined` if it did not run. */
  readonly ms?: number | undefined;
  /** `true` if the tool reached its effect or its frame. */
  readonly reached?: boolean;
}

/**
 * Returns how to journal a call whose tool has returned: without secrets, within the size limit, and with its
 * changes if it succeeded.
 */
export async function toCallEnding(
  call: RunningCall,
  run: CallRun,
  answered: ToolResult,
): Promise<CallEnding> {
  const { loop, record, tool, view, starts } = call;
  const { secrets } = loop;
  // Redact first, since remarks are based on the journaled result.
  const result = redactResult(secrets, answered);
  const { id, input } = record;
  const noted: RemarkedResult =
    loop.spec.strategies.length > 0 ? collectRemarks(loop, { id, tool, input, result }, run) : { result };
  const clean = redactResult(secrets, noted.result);
  const [changes, said] = secrets.redact([
    view.changes(noted.facts, starts && (await Promise.all(starts.later))),
    view.messages,
  ]);
  const kept = toJournaledResult(loop, { tool: tool.name, result: clean, changes });
  const signal = secrets.redact(call.signal);
  const ended = signal ? withSignal(kept, signal) : kept;
  return {
    result: ended,
    ...(call.limit && { limit: call.limit }),
    direct: tool.returnDirect && isSuccess(ended) && (call.reached || call.isSupplied),
    changes: changes && getKeptChanges(ended, changes),
    said,
    ms: call.ms,
    reached: call.reached,
  };
}

/** Redacts a result. Returns the same object if it contains no secrets. */
function redactResult(secrets: Pick<Secrets, 'redact'>, result: ToolResult): ToolResult {
  const clean = secrets.redact<ResultData>(result);
  return clean === result ? result : createToolResult(clean);
}

/** Returns the events that end a call. If it succeeded, its messages to the user come before its result. */
export function toEndEvents(loop: Loop, record: CallRecord, ending: CallEnding): SessionEvent[] {
  const { result, limit, direct, ms, said = [] } = ending;
  const changes = record.atEnd ? withHeldFacts(record, ending.changes) : ending.changes;
  const place = { ...toLoopFields(loop), call: record.id };
  const sent = loop.starts?.started.filter(({ as, by }) => as === 'sent' && by === record).length ?? 0;
  const told = result.type === 'error' ? [] : said;
  const under = told.length > 0 && findOutermostCall(loop);
  return [
    ...told.map(
      (text): SessionEvent => ({
        type: 'message-sent',
        ...place,
        text,
        tool: record.name,
        ...(under && { under }),
      }),
    ),
    {
      type: 'tool-call-ended',
      ...place,
      result,
      ...(ms !== undefined && { ms }),
      ...(limit && { limit }),
      ...(direct && { direct }),
      ...(changes && { changes }),
      ...(sent > 0 && { sent }),
    },
  ];
}

/** Returns the call in the turn's own loop that contains a nested loop. */
function findOutermostCall({ journal, frame }: Loop): string | undefined {
  const { turn } = journal.state;
  return turn && listOuterFrames(turn, frame).at(-2)?.id;
}

/** Restores the signal of a result, which a decorator may have dropped. */
export function withSignal(result: ToolResult, signal: Signal): ToolResult {
  if (result.signal) return result;
  return result.type === 'error'
    ? createToolResult({ ...result, signal })
    : createToolResult({ ...result, signal, withheld: true });
}

/**
 * Returns the changes that take effect: all of them if the call succeeded, and the stored ones if a signal
 * ended it. Facts recorded with `on: 'end'` are always kept.
 */
function getKeptChanges(result: ToolResult, changes: CallChanges): CallChanges | undefined {
  if (isSuccess(result)) return changes;
  const { facts: all = [], ...stored } = changes;
  const facts = all.filter(({ on }) => on === 'end');
  const kept = {
    ...(result.type !== 'error' && result.signal && stored),
    ...(facts.length > 0 && { facts }),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/**
 * Adds the facts stored with the start of the call. An end that does not come from the tool itself lacks
 * them.
 */
function withHeldFacts(call: CallRecord, changes: CallChanges | undefined): CallChanges | undefined {
  const facts = listFactsAtEnd(call, changes?.facts);
  return facts.length > 0 ? { ...changes, facts } : changes;
}

/** A call's result with the strategies' remarks, and the facts that they record. */
interface RemarkedResult {
  readonly result: ToolResult;
  readonly facts?: readonly MemoryFact[];
}

/**
 * Asks every strategy for remarks on a successful call. If one throws, logs it and leaves the result
 * unchanged.
 */
function collectRemarks(
  { spec, log }: Pick<Loop, 'spec' | 'log'>,
  noted: RemarkedCall,
  { view }: Pick<CallRun, 'view'>,
): RemarkedResult {
  const { result } = noted;
  if (!isSuccess(result)) return { result };
  const notes = spec.strategies.flatMap((strategy) => {
    try {
      return strategy.remarkOn?.(noted, view) ?? [];
    } catch (thrown) {
      log(createErrorEntry(`the strategy '${strategy.name}' threw in remarkOn`, thrown));
      return [];
    }
  });
  return {
    result: withRemark(
      result,
      notes.flatMap(({ remark }) => remark ?? []),
    ),
    facts: notes.flatMap(({ facts }) => facts ?? []),
  };
}

/** Adds remarks for the model below the text of a successful result. */
export function withRemark(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0 || result.type === 'error') return result;
  const remark = remarks.join('\n\n');
  const data: ResultData = { ...result };
  // A value that the model reads as JSON is still stored only once.
  if (data.type === 'artifact' && data.content === undefined && data.parts === undefined)
    return createToolResult({ ...data, remark: joinParagraphs(data.remark, remark) });
  return createToolResult(withText(data, `${getModelText(data)}\n\n${remark}`));
}
