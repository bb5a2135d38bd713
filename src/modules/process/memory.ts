import { FOLDING } from '../../journal/memory-folding.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/** The state of the open or last turn, for tools that inspect it. */
export type ProcessMemory = {
  readonly turn: string;
  /** The number of ended calls in all loops. */
  readonly calls: number;
  /** The most recent ended calls, oldest first. */
  readonly history: readonly PastCall[];
  /** The tools, in the order of their first call. */
  readonly tools: readonly ToolCount[];
  /** The models, in the order of their first reply. */
  readonly models: readonly ModelUse[];
};

/** A past call. `ms` is absent if no tool ran, for example if the call opened a loop. */
export type PastCall = { readonly tool: string; readonly failed: boolean; readonly ms?: number };

type ToolCount = { readonly tool: string; readonly calls: number };

type ModelUse = {
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly cost?: number;
};

/** The maximum number of calls in the history. */
const MAX_PAST_CALLS = 50;
/** The maximum number of tool names. Models can call tools that do not exist, with any name. */
const MAX_TOOL_NAMES = 200;
const MAX_NAME_LENGTH = 64;

const createEmptyMemory = (turn: string): ProcessMemory => ({
  turn,
  calls: 0,
  history: [],
  tools: [],
  models: [],
});

/** The state for `agentProcessTools`, which restarts with each turn. */
export const PROCESS_MEMORY: ToolMemory<ProcessMemory> = {
  name: 'process',
  folding: FOLDING,
  initial: createEmptyMemory(''),
  scope: 'session',
  observe(memory, moment) {
    switch (moment.type) {
      case 'turn-started':
        return createEmptyMemory(moment.turn);
      case 'model-replied':
        return { ...memory, models: withReply(memory.models, moment) };
      case 'call-ended':
        return withCall(memory, moment);
      default:
        return memory;
    }
  },
};

/** The module of `agentProcessTools`. */
export const AGENT_PROCESS = createUse(createModule({ name: 'process', state: [PROCESS_MEMORY] }));

type ModelReplyMoment = Extract<SessionMoment, { type: 'model-replied' }>;
type CallEndMoment = Extract<SessionMoment, { type: 'call-ended' }>;

function withCall(memory: ProcessMemory, { tool: name, result, ms }: CallEndMoment): ProcessMemory {
  const tool = name.slice(0, MAX_NAME_LENGTH);
  const call: PastCall = { tool, failed: result.type === 'error', ...(ms !== undefined && { ms }) };
  return {
    ...memory,
    calls: memory.calls + 1,
    history: [...memory.history, call].slice(-MAX_PAST_CALLS),
    tools: countTool(memory.tools, tool),
  };
}

function countTool(tools: readonly ToolCount[], tool: string): readonly ToolCount[] {
  if (tools.some((one) => one.tool === tool)) {
    return tools.map((one) => (one.tool === tool ? { tool, calls: one.calls + 1 } : one));
  }
  return tools.length < MAX_TOOL_NAMES ? [...tools, { tool, calls: 1 }] : tools;
}

function withReply(models: readonly ModelUse[], { model, usage }: ModelReplyMoment): readonly ModelUse[] {
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
