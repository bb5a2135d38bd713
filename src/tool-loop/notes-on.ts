import type { LoopView, NotedCall } from '../tools/injection.ts';
import type { MemoryFact } from '../tools/tool-memory.ts';
import { modelText, type ResultData, succeeded, type ToolResult, toolResult } from '../tools/tool-result.ts';
import type { Loop } from './loop.ts';

/** What the strategies of a loop have to add to the end of a call. */
interface AllNotes {
  readonly facts: readonly MemoryFact[];
  readonly remarks: readonly string[];
}

const NOTHING: AllNotes = { facts: [], remarks: [] };

/** Asks every strategy about a call that has succeeded. One that throws is reported, and the call is what it was. */
export function notesOn({ strategies }: Pick<Loop, 'strategies'>, call: NotedCall, view: LoopView): AllNotes {
  if (!succeeded(call.result)) return NOTHING;
  const notes = strategies.flatMap((strategy) => {
    try {
      return strategy.note?.(call, view) ?? [];
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
