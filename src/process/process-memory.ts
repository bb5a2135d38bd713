import { ROOT, type SessionEvent } from '../journal/events.ts';
import type { SessionState, StateSlice } from '../journal/state.ts';

/** What is remembered of the open turn, or of the one that ended last, for whoever looks at it from inside. */
export type ProcessMemory = {
  readonly turn: string;
  /** Calls that have ended, in all loops. */
  readonly calls: number;
  /** The last of them, oldest first. */
  readonly history: readonly PastCall[];
  /** In the order of their first call. */
  readonly tools: readonly ToolCount[];
  /** In the order of their first reply. */
  readonly models: readonly ModelUse[];
};

/** `ms`: absent when nothing was run, as of a call that opened a loop. */
export type PastCall = { readonly tool: string; readonly failed: boolean; readonly ms?: number };

export type ToolCount = { readonly tool: string; readonly calls: number };

export type ModelUse = {
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly cost?: number;
};

/** Calls that are remembered one by one. */
const HISTORY = 50;
/** Models may call tools that do not exist, by any name. */
const MAX_TOOLS = 200;
const MAX_NAME = 64;

const nothing = (turn: string): ProcessMemory => ({ turn, calls: 0, history: [], tools: [], models: [] });

/** The memory behind the tools of `agentProcessTools`; begun anew with each turn. */
export const PROCESS: StateSlice<ProcessMemory, never> = {
  name: 'process',
  initial: nothing(''),
  reduce(memory, state, event) {
    switch (event.type) {
      case 'turn-started':
        return nothing(event.turn);
      case 'model-replied':
        return event.planned ? memory : { ...memory, models: withReply(memory.models, event) };
      case 'tool-call-ended':
        return withCall(memory, toolOf(state, event), event);
      default:
        return memory;
    }
  },
};

type Replied = Extract<SessionEvent, { type: 'model-replied' }>;
type Ended = Extract<SessionEvent, { type: 'tool-call-ended' }>;

/** Once a batch has settled its calls are still the last reply's. */
function toolOf({ turn, messages }: SessionState, { frame = ROOT, call }: Ended): string | undefined {
  const last = (turn?.frames.get(frame)?.messages ?? messages).at(-1);
  const calls = last?.role === 'assistant' ? last.calls : [];
  return calls.find(({ id }) => id === call)?.name.slice(0, MAX_NAME);
}

function withCall(memory: ProcessMemory, tool: string | undefined, { result, ms }: Ended): ProcessMemory {
  if (tool === undefined) return memory;
  const call: PastCall = { tool, failed: result.type === 'error', ...(ms !== undefined && { ms }) };
  return {
    ...memory,
    calls: memory.calls + 1,
    history: [...memory.history, call].slice(-HISTORY),
    tools: counted(memory.tools, tool),
  };
}

function counted(tools: readonly ToolCount[], tool: string): readonly ToolCount[] {
  if (tools.some((one) => one.tool === tool)) {
    return tools.map((one) => (one.tool === tool ? { tool, calls: one.calls + 1 } : one));
  }
  return tools.length < MAX_TOOLS ? [...tools, { tool, calls: 1 }] : tools;
}

function withReply(models: readonly ModelUse[], { model, usage }: Replied): readonly ModelUse[] {
  const known = models.find((one) => one.model === model) ?? { model, calls: 0, tokens: 0 };
  const cost = usage?.cost === undefined ? known.cost : (known.cost ?? 0) + usage.cost;
  const use: ModelUse = {
    model,
    calls: known.calls + 1,
    tokens: known.tokens + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    ...(cost !== undefined && { cost }),
  };
  return models.includes(known) ? models.map((one) => (one === known ? use : one)) : [...models, use];
}
