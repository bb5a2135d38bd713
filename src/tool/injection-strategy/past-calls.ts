import type { HistoryCall, HistoryMessage } from '../call.ts';
import type { Json } from '../json.ts';
import { modelText, type ResultData } from '../tool-result.ts';

/** A call that has ended, as a strategy may judge it. */
export interface LastCall {
  readonly id: string;
  readonly tool: string;
  /** The model's own text. */
  readonly input: string;
  /** What the model reads of the result; an error begins with `Error: `. */
  readonly result: string;
  readonly failed: boolean;
  /** The result as data, when its text is that of a JSON object or array (INJ-07). */
  readonly json?: Json | undefined;
  /** The artifact, as the journal keeps it. */
  readonly artifact?: Json | undefined;
  /** The name of its type. */
  readonly artifactType?: string | undefined;
}

/** One call of the turn that has ended, where it stood. */
export interface PastCall {
  readonly call: LastCall;
  /** Replies of the loop up to the one that asked for it. */
  readonly iteration: number;
  /** The conversation before its result: it and the calls after it in its reply are open there (INJ-08). */
  history(): readonly HistoryMessage[];
}

/** The calls of the open turn, or of the nested loop, that have ended; in the order in which they were asked for. */
export function pastCalls(history: readonly HistoryMessage[]): readonly PastCall[] {
  // What the loop itself says does not begin a turn.
  const start = history.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let iteration = 0;
  return history.flatMap((message, at) => {
    if (at < start || message.role !== 'assistant') return [];
    iteration += 1;
    const reply = { message, at, iteration };
    return message.calls.flatMap((call) => (call.result ? pastCall(history, reply, call, call.result) : []));
  });
}

interface Reply {
  readonly message: Extract<HistoryMessage, { role: 'assistant' }>;
  readonly at: number;
  readonly iteration: number;
}

function pastCall(
  history: readonly HistoryMessage[],
  { message, at, iteration }: Reply,
  { id, name, input }: HistoryCall,
  result: ResultData,
): PastCall {
  return {
    iteration,
    call: { id, tool: name, input, failed: result.type === 'error', ...said(result) },
    history: () => {
      const before = message.calls.findIndex((call) => call.id === id);
      const calls = message.calls.map((call, index) => (index < before ? call : withoutResult(call)));
      return [...history.slice(0, at), { ...message, calls }];
    },
  };
}

const withoutResult = ({ result: _, ...call }: HistoryCall): HistoryCall => call;

function said(result: ResultData): Pick<LastCall, 'result' | 'json' | 'artifact' | 'artifactType'> {
  const text = modelText(result);
  const json = result.type === 'error' ? undefined : readJson(text);
  return {
    result: text,
    ...(json !== undefined && { json }),
    ...(result.type === 'artifact' && { artifact: result.value }),
    ...(result.type === 'artifact' && result.artifactType && { artifactType: result.artifactType }),
  };
}

function readJson(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
