/** How calls end: what the journal keeps of their answers. */
import type { CallChanges, SessionEvent } from '../journal/events.ts';
import { factsAtEnd } from '../journal/memories.ts';
import { framesAround } from '../journal/spending.ts';
import type { CallRecord } from '../journal/state.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import { paragraphs } from '../tool/json.ts';
import { mistake } from '../tool/log.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { CallRun, RemarkedCall } from '../tool/tool.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import {
  modelText,
  type ResultData,
  type Signal,
  succeeded,
  type ToolResult,
  toolResult,
  withWords,
} from '../tool/tool-result.ts';
import { inLoop, type Loop } from './loop.ts';
import type { RunningCall } from './running-call.ts';
import { journaledResult } from './tool-answer.ts';

/** How a call ended, before it is an event. */
export interface CallEnding {
  readonly result: ToolResult;
  /** It was beyond this limit, and did not run. */
  readonly limit?: ReachedLimit;
  readonly direct?: boolean;
  readonly changes?: CallChanges | undefined;
  /** Said to the user by the call, in order. */
  readonly said?: readonly string[];
  /** Milliseconds inside `run`, or `undefined` when nothing ran. */
  readonly ms?: number | undefined;
  /** The tool got as far as its effect or its frame. */
  readonly reached?: boolean;
}

/**
 * Answers what is journaled of a call that its tool has answered: no secrets, no more than fits, and its changes if it
 * succeeded.
 */
export async function endingOf(call: RunningCall, run: CallRun, answered: ToolResult): Promise<CallEnding> {
  const { loop, record, tool, view, starts } = call;
  const { secrets } = loop;
  // What is noted of a result, as of what the journal keeps of it, has no secrets in it.
  const result = redacted(secrets, answered);
  const { id, input } = record;
  const noted: Remarked =
    loop.spec.strategies.length > 0 ? remarksOn(loop, { id, tool, input, result }, run) : { result };
  const clean = redacted(secrets, noted.result);
  const [changes, said] = secrets.redact([
    view.changes(noted.facts, starts && (await Promise.all(starts.later))),
    view.said,
  ]);
  const kept = journaledResult(loop, { tool: tool.name, result: clean, changes });
  const signal = secrets.redact(call.signal);
  const ended = signal ? withSignal(kept, signal) : kept;
  return {
    result: ended,
    ...(call.limit && { limit: call.limit }),
    direct: tool.returnDirect && succeeded(ended) && (call.reached || call.received),
    changes: changes && keptChanges(ended, changes),
    said,
    ms: call.ms,
    reached: call.reached,
  };
}

/** The result without secrets: itself where there are none to look for. */
function redacted(secrets: Pick<Secrets, 'redact'>, result: ToolResult): ToolResult {
  const clean = secrets.redact<ResultData>(result);
  return clean === result ? result : toolResult(clean);
}

/** The events that end a call: what it said to the user comes before its result, if it succeeded. */
export function endEventsOf(loop: Loop, record: CallRecord, ending: CallEnding): SessionEvent[] {
  const { result, limit, direct, ms, said = [] } = ending;
  const changes = record.atEnd ? withHeldFacts(record, ending.changes) : ending.changes;
  const place = { ...inLoop(loop), call: record.id };
  const sent = loop.starts?.started.filter(({ as, by }) => as === 'sent' && by === record).length ?? 0;
  const told = result.type === 'error' ? [] : said;
  const under = told.length > 0 && outermostCall(loop);
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

/** The call of the turn's own loop that a nested loop is inside of. */
function outermostCall({ journal, frame }: Loop): string | undefined {
  const { turn } = journal.state;
  return turn && framesAround(turn, frame).at(-2)?.id;
}

/** What a decorator made of a result may have lost the signal that came with it. */
export function withSignal(result: ToolResult, signal: Signal): ToolResult {
  if (result.signal) return result;
  return result.type === 'error'
    ? toolResult({ ...result, signal })
    : toolResult({ ...result, signal, withheld: true });
}

/**
 * What of a call's changes takes effect: all of a success, and of one that broke off by a signal what it stored.
 * Of facts, one that has not done what it is for keeps those for its end.
 */
function keptChanges(result: ToolResult, changes: CallChanges): CallChanges | undefined {
  if (succeeded(result)) return changes;
  const { facts: all = [], ...stored } = changes;
  const facts = all.filter(({ on }) => on === 'end');
  const kept = {
    ...(result.type !== 'error' && result.signal && stored),
    ...(facts.length > 0 && { facts }),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** An end that does not come from the tool, or of code that has changed since, tells nothing of what was stored with the start. */
function withHeldFacts(call: CallRecord, changes: CallChanges | undefined): CallChanges | undefined {
  const facts = factsAtEnd(call, changes?.facts);
  return facts.length > 0 ? { ...changes, facts } : changes;
}

/** The result of a call with what strategies have to say of it, and what they remember. */
interface Remarked {
  readonly result: ToolResult;
  readonly facts?: readonly MemoryFact[];
}

/** Asks every strategy about a call that has succeeded. One that throws is reported, and the call is what it was. */
function remarksOn(
  { spec, log }: Pick<Loop, 'spec' | 'log'>,
  noted: RemarkedCall,
  { view }: Pick<CallRun, 'view'>,
): Remarked {
  const { result } = noted;
  if (!succeeded(result)) return { result };
  const notes = spec.strategies.flatMap((strategy) => {
    try {
      return strategy.remarkOn?.(noted, view) ?? [];
    } catch (thrown) {
      log(mistake(`the strategy '${strategy.name}' threw in note`, thrown));
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

/** A result of a call that succeeded, with remarks to the model below what it says. */
export function withRemark(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0 || result.type === 'error') return result;
  const remark = remarks.join('\n\n');
  const data: ResultData = { ...result };
  // A value whose JSON is what the model reads is still kept once.
  if (data.type === 'artifact' && data.content === undefined && data.parts === undefined)
    return toolResult({ ...data, remark: paragraphs(data.remark, remark) });
  return toolResult(withWords(data, `${modelText(data)}\n\n${remark}`));
}
