/** What the strategies of a loop add to the end of a call. */
import { paragraphs } from '../tool/json.ts';
import type { CallRun, RemarkedCall } from '../tool/tool.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import {
  modelText,
  type ResultData,
  succeeded,
  type ToolResult,
  toolResult,
  withWords,
} from '../tool/tool-result.ts';
import type { Loop } from './loop.ts';

/** The result of a call with what strategies have to say of it, and what they remember. */
export interface Remarked {
  readonly result: ToolResult;
  readonly facts?: readonly MemoryFact[];
}

/** Asks every strategy about a call that has succeeded. One that throws is reported, and the call is what it was. */
export function remarksOn(
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
      const message = `the strategy '${strategy.name}' threw in note`;
      log({ level: 'error', event: 'other', message, thrown });
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
