import { ROOT } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { isCount } from '../../loop/policies.ts';
import type { InnerShape } from '../../tool/check-literal.ts';
import type { CallLimit, ReachedLimit } from '../../tool/frame.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';
import { createFailureResult } from '../../tool/tool-result.ts';

/** The configuration of `callLimits`. */
export interface CallLimits {
  /** The maximum number of tool calls in the turn, or in the nested loop. Defaults to 150. */
  readonly toolCalls?: CallLimit | undefined;
  /**
   * The maximum number of calls per tool: one number for every tool, or numbers by tool name, with `*` for
   * all other tools. Defaults to 40, or to a higher `toolCalls`.
   */
  readonly callsPerTool?: CallLimit | Readonly<Record<string, CallLimit>> | undefined;
}

/**
 * Limits the tool calls of a turn, including nested loops. List it in the `use` of an agent, of an app for
 * each of its agents, or of an agentic tool for its nested loop, to which the enclosing limits also apply. A
 * call over a limit does not run. Its result reports the limit to the model, and the turn continues.
 *
 * @throws RangeError if a limit is neither a positive whole number nor `unlimited`.
 *
 * @example
 * ```ts
 * const settle = defineAgenticTool({
 *   name: 'settle',
 *   description: 'Settles a complaint.',
 *   tools: [findOrder, refundOrder],
 *   use: [callLimits({ toolCalls: 20, callsPerTool: { refund_order: 1 } })],
 * });
 * ```
 */
export function callLimits(limits: CallLimits = {}): ModuleUse {
  const bounds = readBounds(limits);
  const use = createUse(LIMITS_MODULE);
  LOOPS.give(use, {
    async call(call, next, { frame, reached }) {
      const place = call.view.recall(CALL_COUNTS).places[call.id]?.find((one) => one.frame === frame);
      if (!place) throw new ToolConfigurationError(NOT_COUNTED_MESSAGE);
      const over = findOverLimit(place, bounds);
      if (!over) return next();
      reached(over.limit);
      return createFailureResult('limit', over.message);
    },
    limits({ journal, memories, frame: { path } }, frame) {
      const { loops } = memories.of(CALL_COUNTS).valueIn(journal.state.memories, CALL_COUNTS, path);
      const { toolCalls: most } = bounds;
      return most === 'unlimited' ? [] : [{ kind: 'toolCalls', most, used: loops[frame]?.calls ?? 0 }];
    },
  });
  return use;
}

/** Provider tools are created in a turn, so the app does not know their modules. */
const NOT_COUNTED_MESSAGE =
  "The app does not count tool calls, so `callLimits` cannot limit them. Import it from 'holdfast/limits' and add it to `use`.";

/** The default limits, which allow real work and stop a runaway loop. */
const DEFAULT_LIMITS = { toolCalls: 150, callsPerTool: 40 };

interface CallBounds {
  readonly toolCalls: CallLimit;
  readonly callsPerTool: Readonly<Record<string, CallLimit>>;
}

/** @throws RangeError if a limit is invalid. */
function readBounds(limits: CallLimits): CallBounds {
  const stranger = literals?.innerFault(limits, SHAPE);
  if (stranger)
    throw new RangeError(`callLimits: ${stranger.path} is ${stranger.value}. Use ${stranger.use}.`);
  const { toolCalls, callsPerTool = {} } = limits;
  const ofTools = typeof callsPerTool === 'object' ? callsPerTool : { '*': callsPerTool };
  const declared = Object.entries(ofTools).map(([tool, most]) => [`callsPerTool.${tool}`, most] as const);
  for (const [path, most] of [['toolCalls', toolCalls ?? DEFAULT_LIMITS.toolCalls] as const, ...declared]) {
    if (most === 'unlimited' || isCount(most)) continue;
    throw new RangeError(
      `callLimits: ${path} is ${String(most)}. Use a positive whole number, or 'unlimited'.`,
    );
  }
  // If the total exceeds the default per tool, it also applies per tool.
  const isMore = toolCalls !== undefined && getMaximum(toolCalls) > DEFAULT_LIMITS.callsPerTool;
  return {
    toolCalls: toolCalls ?? DEFAULT_LIMITS.toolCalls,
    callsPerTool: { '*': isMore ? toolCalls : DEFAULT_LIMITS.callsPerTool, ...ofTools },
  };
}

const SHAPE = {
  keys: ['toolCalls', 'callsPerTool'],
  foreign: { maxToolCalls: 'toolCalls' },
} satisfies InnerShape;

interface ExceededLimit {
  readonly limit: ReachedLimit;
  readonly message: string;
}

function findOverLimit(
  { tool, frame, calls, ofTool }: CallPosition,
  bounds: CallBounds,
): ExceededLimit | undefined {
  const { toolCalls, callsPerTool } = bounds;
  const scope = frame === ROOT ? 'turn' : 'task';
  const most = (Object.hasOwn(callsPerTool, tool) ? callsPerTool[tool] : callsPerTool['*']) ?? 'unlimited';
  if (ofTool > getMaximum(most)) {
    return {
      limit: { kind: 'callsPerTool', most: getMaximum(most) },
      message: `Tool call limit (${most}) exceeded for tool '${tool}'. No further calls to this tool are allowed in this ${scope}.`,
    };
  }
  if (calls > getMaximum(toolCalls)) {
    return {
      limit: { kind: 'toolCalls', most: getMaximum(toolCalls) },
      message: `Total tool call limit (${toolCalls}) exceeded for this ${scope}. No further tool calls are allowed.`,
    };
  }
  return undefined;
}

const getMaximum = (limit: CallLimit): number => (limit === 'unlimited' ? Infinity : limit);

/**
 * The number of a call among all calls of a loop, including nested loops, and among the calls of its tool.
 * Starts at 1. A type alias, because it must be JSON.
 */
type CallPosition = {
  readonly frame: string;
  readonly tool: string;
  readonly calls: number;
  readonly ofTool: number;
};

/**
 * The calls of a loop, including nested loops. Tools are in a list, because a tool name can be any string and
 * is not safe as a key.
 */
type LoopCounts = {
  readonly calls: number;
  readonly tools: readonly (readonly [tool: string, calls: number])[];
};

export type CallCounts = {
  /** The counts by loop id. The turn's own loop counts all calls of the turn. */
  readonly loops: { readonly [frame: string]: LoopCounts };
  /**
   * The numbers of each call that has not ended, by call id: one for its loop, and one for each enclosing
   * loop.
   */
  readonly places: { readonly [call: string]: readonly CallPosition[] };
};

const NO_COUNTS: CallCounts = { loops: {}, places: {} };
const NO_CALLS: LoopCounts = { calls: 0, tools: [] };

/**
 * Counts the calls of a turn per loop, in the order of its replies. A call keeps its numbers when the turn
 * resumes, even if other calls of its batch have ended.
 */
export const CALL_COUNTS: ToolMemory<CallCounts> = {
  name: 'limits',
  folding: FOLDING,
  initial: NO_COUNTS,
  scope: 'turn',
  isHidden: true,
  observe(counted, moment) {
    switch (moment.type) {
      case 'calls-made':
        return withCalls(counted, moment);
      case 'call-ended':
        return withoutCall(counted, moment.call);
      default:
        return counted;
    }
  },
};

/** The module of call limits. An agent's limits also apply in its nested loops. */
export const LIMITS_MODULE = createModule({ name: 'limits', nested: true, state: [CALL_COUNTS] });

type CallsMadeMoment = Extract<SessionMoment, { readonly type: 'calls-made' }>;

function withCalls(counted: CallCounts, { calls, loops: around }: CallsMadeMoment): CallCounts {
  const loops: Record<string, LoopCounts> = { ...counted.loops };
  const places: Record<string, readonly CallPosition[]> = { ...counted.places };
  for (const { id, tool } of calls) {
    places[id] = around.map((frame): CallPosition => {
      const { calls: all, tools } = loops[frame] ?? NO_CALLS;
      const ofTool = (tools.find(([name]) => name === tool)?.[1] ?? 0) + 1;
      const others = tools.filter(([name]) => name !== tool);
      loops[frame] = { calls: all + 1, tools: [...others, [tool, ofTool]] };
      return { frame, tool, calls: all + 1, ofTool };
    });
  }
  return { loops, places };
}

/** Drops a call, and the loop that it opened, if any. */
function withoutCall({ loops, places }: CallCounts, call: string): CallCounts {
  const { [call]: _, ...openLoops } = loops;
  const { [call]: __, ...openPlaces } = places;
  return { loops: openLoops, places: openPlaces };
}
