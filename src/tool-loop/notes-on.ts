import type { LoopView, NotedCall } from '../tools/injection.ts';
import type { SliceFact } from '../tools/slice.ts';
import { modelText, succeeded, type ToolResult, toolResult } from '../tools/tool-result.ts';
import type { Loop } from './loop.ts';

/** What the strategies of a loop have to add to the end of a call. */
interface AllNotes {
  readonly facts: readonly SliceFact[];
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
export const withRemark = (result: ToolResult, remarks: readonly string[]): ToolResult =>
  remarks.length === 0 || result.type === 'error'
    ? result
    : toolResult({ ...result, content: [modelText(result), ...remarks].join('\n\n') });
