import type { CallChanges, SessionEvent } from '../journal/events.ts';
import { factsAtEnd } from '../journal/memories.ts';
import type { CallRecord } from '../journal/state.ts';
import { SignalError, signalled } from '../tool/signals.ts';
import type { RemarkedCall } from '../tool/tool.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import {
  failure,
  modelText,
  type ResultData,
  type Signal,
  succeeded,
  type ToolResult,
  toolResult,
  toToolResult,
} from '../tool/tool-result.ts';
import { messageOf, type ToolException } from './exception-processor.ts';
import { inLoop, type Loop } from './loop.ts';
import { NotKeptError, type PermittedRun, type PreparedCall, type ToolCallRun } from './tool-call-run.ts';

/** How a call ended, before it is an event. */
export interface CallEnding {
  readonly result: ToolResult;
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
export async function endingOf(
  run: PermittedRun,
  { call, progress, scheduled }: PreparedCall,
  answered: ToolResult,
): Promise<CallEnding> {
  const { loop, record, tool, view } = run;
  const { secrets } = loop;
  // What is noted of a result, as of what the journal keeps of it, has no secrets in it.
  const result = toolResult(secrets.redact({ ...answered }));
  const noted = remarksOn(run, { id: record.id, tool, input: record.input, result }, call);
  const [clean, changes, said] = secrets.redact([
    { ...withRemark(result, noted.remarks) },
    view.changes(noted.facts, await scheduled()),
    view.said,
  ]);
  const kept = journaledResult(loop, { tool: tool.name, result: toolResult(clean), changes });
  const ended = withSignal(kept, secrets.redact(progress.signal));
  return {
    result: ended,
    direct: tool.returnDirect && succeeded(ended) && (progress.reached || progress.received),
    changes: keptChanges(ended, changes),
    said,
    ms: progress.ms,
    reached: progress.reached,
  };
}

/** The events that end a call: what it said to the user comes before its result, if it succeeded. */
export function eventsOf({ loop, record }: ToolCallRun, ending: CallEnding): SessionEvent[] {
  const { result, direct, ms, said = [] } = ending;
  const changes = withHeldFacts(record, ending.changes);
  const place = { ...inLoop(loop), call: record.id };
  return [
    ...(result.type === 'error' ? [] : said).map(
      (text): SessionEvent => ({ type: 'message-sent', ...place, text }),
    ),
    {
      type: 'tool-call-ended',
      ...place,
      result,
      ...(ms !== undefined && { ms }),
      ...(direct && { direct }),
      ...(changes && { changes }),
    },
  ];
}

/** What the strategies of a loop have to add to the end of a call. */
interface AllRemarks {
  readonly facts: readonly MemoryFact[];
  readonly remarks: readonly string[];
}

/** Asks every strategy about a call that has succeeded. One that throws is reported, and the call is what it was. */
function remarksOn({ loop }: ToolCallRun, noted: RemarkedCall, { view }: PreparedCall['call']): AllRemarks {
  const asked = succeeded(noted.result) ? loop.spec.strategies : [];
  const notes = asked.flatMap((strategy) => {
    try {
      return strategy.remarkOn?.(noted, view) ?? [];
    } catch (thrown) {
      console.error(`holdfast: the strategy '${strategy.name}' threw in note`, thrown);
      return [];
    }
  });
  return {
    facts: notes.flatMap(({ facts }) => facts ?? []),
    remarks: notes.flatMap(({ remark }) => remark ?? []),
  };
}

/** A result of a call that succeeded, with remarks to the model below what it says. */
export function withRemark(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0 || result.type === 'error') return result;
  const remark = remarks.join('\n\n');
  const data: ResultData = { ...result };
  // A value whose JSON is what the model reads is still kept once.
  if (data.type === 'artifact' && data.content === undefined) return toolResult({ ...data, remark });
  return toolResult({ ...data, content: `${modelText(data)}\n\n${remark}` });
}

/** What a decorator made of a result may have lost the signal that came with it. */
function withSignal(result: ToolResult, signal: Signal | undefined): ToolResult {
  if (!signal || result.signal) return result;
  return result.type === 'error'
    ? toolResult({ ...result, signal })
    : toolResult({ ...result, signal, withheld: true });
}

/**
 * What of a call's changes takes effect: all of a success, and of one that broke off by a signal what it stored.
 * Of facts, one that has not done what it is for keeps those for its end.
 */
function keptChanges(result: ToolResult, changes: CallChanges | undefined): CallChanges | undefined {
  if (succeeded(result)) return changes;
  const { facts: all = [], ...stored } = changes ?? {};
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

/** Makes a result of what a tool returned. Of a value that is lost the model and the developer are told. */
export const resultOf = (loop: Pick<Loop, 'secrets'>, tool: string, returned: unknown): ToolResult =>
  toToolResult(tool, returned, (problem) => tellDeveloper(loop, problem));

/** What a tool has answered, and what its call changed. */
interface Answered {
  readonly tool: string;
  readonly result: ToolResult;
  readonly changes?: CallChanges | undefined;
}

/** Answers what the journal keeps of a result. A tool that has run is never told of as if it had not. */
export function journaledResult(
  loop: Pick<Loop, 'secrets'>,
  { tool, result, changes }: Answered,
): ToolResult {
  const { length } = JSON.stringify([result, changes]);
  if (length <= MAX_RESULT) return result;
  const message =
    `Tool '${tool}' ran and finished, but its result and what it changed, of ${length} characters, are over the limit ` +
    `of ${MAX_RESULT} and were not kept. Ask it for less.`;
  tellDeveloper(loop, message);
  return toolResult({ type: 'error', message });
}

/** Characters of a result's JSON: an append carries several, and a message to the object weighs at most 32 MiB. */
const MAX_RESULT = 8 * 1024 * 1024;

/** The result of a call that threw, if only a signal. Its siblings keep theirs, whatever is made of the exception. */
export function exceptionResult(loop: Pick<Loop, 'spec' | 'secrets'>, exception: ToolException): ToolResult {
  const { tool, thrown: cause } = exception;
  if (cause instanceof NotKeptError) tellDeveloper(loop, `Tool '${tool}' failed. ${cause.message}`);
  try {
    if (cause instanceof SignalError) throw cause;
    return failure('threw', loop.spec.policies.exceptions(exception));
  } catch (thrown) {
    if (thrown instanceof SignalError) return signalled(thrown);
    const reason = messageOf(tool, thrown);
    return signalled(new SignalError({ type: 'fail', reason }));
  }
}

/** A line of the log about a value that cannot be journaled: by then the tool may have acted. */
export const tellDeveloper = ({ secrets }: Pick<Loop, 'secrets'>, problem: string): void =>
  console.error(`holdfast: ${secrets.redact(problem)}`);
