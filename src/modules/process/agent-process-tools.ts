import { defineTool } from '../../tool/define-tool.ts';
import type { BudgetView, ProcessView } from '../../tool/frame.ts';
import {
  createLenientSchema,
  createSingleStringSchema,
  type LenientSchema,
} from '../../tool/input-schema.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { defineUnfolding } from '../unfolding/define-unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../unfolding/unfolding.ts';
import { AGENT_PROCESS, type PastCall, PROCESS_MEMORY, type ProcessMemory } from './memory.ts';

/**
 * Returns tools with which a model inspects its own turn: its running time, its usage and limits, and the
 * tools and models that were called. They only read the journal, and show neither context nor secrets.
 *
 * @example
 * ```ts
 * const tools = [findOrder, agentProcessTools({ contextTool: true })];
 * ```
 */
export const agentProcessTools = (
  options: UnfoldingOptions = {},
): UnfoldingTool<'agent_process', JsonObject> =>
  defineUnfolding({
    name: 'agent_process',
    description:
      'Access information about the current agent process including status, budget, cost, and history. ' +
      'Invoke to see available operations.',
    childToolUsageNotes:
      'Use process_status for current state and runtime. Use process_budget to check limits. ' +
      'Use process_cost to see spending.',
    ...options,
    uses: [AGENT_PROCESS],
    tools: createProcessTools(),
  });

/** The result of each tool outside a session. */
const NO_PROCESS_MESSAGE = 'No agent process available. These tools require an active agent context.';

const createProcessTools = (): readonly AnyTool[] => [
  defineStatusTool(
    'process_status',
    'Get the current process status, ID, running time, and goal information',
    formatStatus,
  ),
  defineStatusTool(
    'process_budget',
    'Get the budget limits and current usage against those limits',
    formatBudget,
  ),
  defineStatusTool('process_cost', 'Get detailed cost and token usage information', formatCost),
  defineStatusTool('process_history', 'Get the history of actions taken in this process', formatHistory),
  defineStatusTool('process_tools_stats', 'Get statistics about tool usage in this process', formatTools),
  defineStatusTool('process_models', 'Get information about which models have been used', formatModels),
];

const defineStatusTool = (
  name: string,
  description: string,
  text: (process: ProcessView, memory: ProcessMemory) => string,
): AnyTool =>
  defineTool({
    name,
    description,
    effect: 'read',
    run: (_, { process }) => (process ? text(process, process.recall(PROCESS_MEMORY)) : NO_PROCESS_MESSAGE),
  });

/** Returns the status of the turn. The turn always runs, because only a running turn has calls. */
const formatStatus = ({ id, runningMs, goal, parent }: ProcessView): string =>
  [
    `Process ID: ${id}`,
    'Status: RUNNING',
    `Running time: ${formatDuration(runningMs)}`,
    goal === undefined ? 'No goal (utility process)' : `Goal: ${goal}`,
    `Parent ID: ${parent ?? 'none (root process)'}`,
  ].join('\n');

/** Returns the budget and its usage. "Action" means a tool call. */
const formatBudget = ({ budget: { cost, tokens, toolCalls }, used }: ProcessView): string =>
  [
    'Budget Status:',
    '',
    ...formatLimit('Cost', { budget: cost, used: used.cost }, (amount) => formatDollars(amount, 4)),
    '',
    ...formatLimit('Token', { budget: tokens, used: used.tokens }, formatCount),
    '',
    ...formatLimit('Action', { budget: toolCalls, used: used.toolCalls }, formatCount),
  ].join('\n');

function formatLimit(
  name: string,
  { budget, used }: { readonly budget: BudgetView | undefined; readonly used: number },
  shown: (amount: number) => string,
): readonly string[] {
  if (!budget) return [`${name} limit: none`, `  Used: ${shown(used)}`];
  const { limit, remaining } = budget;
  return [
    `${name} limit: ${shown(limit)}`,
    `  Used: ${shown(budget.used)}`,
    `  Remaining: ${shown(remaining)}`,
  ];
}

/**
 * Returns the cost of the turn. The number of embeddings is always 0, because the library makes no embedding
 * calls.
 */
const formatCost = (
  { used: { modelCalls, inputTokens, outputTokens } }: ProcessView,
  { models }: ProcessMemory,
): string =>
  [
    'Cost and Usage:',
    '',
    `Total cost: ${formatDollars(
      models.reduce((sum, { cost = 0 }) => sum + cost, 0),
      6,
    )}`,
    `LLM invocations: ${modelCalls}`,
    'Embedding invocations: 0',
    '',
    'Tokens used:',
    `  Prompt tokens: ${formatCount(inputTokens)}`,
    `  Completion tokens: ${formatCount(outputTokens)}`,
    `  Total tokens: ${formatCount(inputTokens + outputTokens)}`,
  ].join('\n');

function formatHistory(_: ProcessView, { calls, history }: ProcessMemory): string {
  if (calls === 0) return 'No actions have been executed yet.';
  const earlier = calls - history.length;
  return [
    `Action history (${calls} action(s)):`,
    '',
    ...(earlier > 0 ? [`(the first ${earlier} are not shown)`] : []),
    ...history.map((call, index) => `${earlier + index + 1}. ${call.tool}${describeCall(call)}`),
  ].join('\n');
}

function describeCall({ ms, failed }: PastCall): string {
  const parts = [...(ms === undefined ? [] : [formatDuration(ms)]), ...(failed ? ['failed'] : [])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function formatTools(_: ProcessView, { calls, tools }: ProcessMemory): string {
  if (calls === 0) return 'No tools have been called yet.';
  return [
    'Tool Usage Statistics:',
    '',
    `Total tool calls: ${calls}`,
    `Unique tools used: ${tools.length}`,
    '',
    'Calls by tool:',
    ...tools.toSorted((a, b) => b.calls - a.calls).map((one) => `  ${one.tool}: ${one.calls} calls`),
  ].join('\n');
}

function formatModels(_: ProcessView, { models }: ProcessMemory): string {
  if (models.length === 0) return 'No models have been used yet.';
  const lines = models.map(({ model, calls, tokens, cost }) => {
    const price = cost === undefined ? '' : `, ${formatDollars(cost, 6)}`;
    return `- ${model} (${calls} calls, ${formatCount(tokens)} tokens${price})`;
  });
  return [`Models used (${models.length}):`, '', ...lines].join('\n');
}

/** Formats milliseconds for a model: `1h 2m 3s`, `2m 3s`, `3.4s`, `250ms`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h ${minutes}m ${seconds % 60}s`;
  if (minutes > 0) return `${minutes}m ${seconds % 60}s`;
  return seconds > 0 ? `${seconds}.${Math.floor((ms % 1000) / 100)}s` : `${Math.floor(ms)}ms`;
}

/** Formats a number as `1,234`. */
const formatCount = (amount: number): string => amount.toLocaleString('en-US');

/** Formats an amount as `$0.1234`, with this many decimals. */
const formatDollars = (amount: number, decimals: number): string => `$${amount.toFixed(decimals)}`;

/** Declares one required text parameter. It is `undefined` if the model omits it or sends only blanks. */
export const createTextParameter = (name: string, description: string): LenientSchema<string | undefined> =>
  createLenientSchema(createSingleStringSchema(name, description), (input) => {
    const sent = Object.hasOwn(input, name) ? input[name] : undefined;
    if (sent === undefined || sent === null) return undefined;
    const words = typeof sent === 'string' ? sent : JSON.stringify(sent);
    return words.trim() === '' ? undefined : words;
  });

/** Marks tools whose calls a console can hide, because it shows their output separately. */
const NO_BANNER_METADATA: { readonly banner: false } = { banner: false };

/**
 * Returns a tool with which the model reports its progress to the people who watch the turn. Progress is not
 * stored, and the call succeeds even if no one is watching.
 */
export const progressTool = (): Tool<'progress', string | undefined> =>
  defineTool({
    name: 'progress',
    description: 'Tells the user what you are doing right now, while you go on working. It is not an answer.',
    input: createTextParameter('status', 'What you are doing, in a few words'),
    effect: 'read',
    metadata: NO_BANNER_METADATA,
    run(status, call) {
      if (status === undefined) return error("Missing 'status' parameter");
      if (!call.inSession) {
        call.log(createWarningEntry('progress was reported outside a session, so no one sees it.'));
        return 'Progress noted (no active process to display it).';
      }
      try {
        call.progress(status);
      } catch (failure) {
        call.log(createWarningEntry('progress could not be shown', failure));
      }
      return `Progress reported: ${status}`;
    },
  });

/**
 * Returns a tool with which the model sends the user a message before the turn ends. The message is journaled
 * together with the call's success, so it is sent exactly once and is part of the conversation. If it cannot
 * be sent, the result is an error.
 */
export const communicateTool = (): Tool<'communicate', string | undefined> =>
  defineTool({
    name: 'communicate',
    description: 'Sends a message to the user now, while you go on working. The user can keep it.',
    input: createTextParameter('message', 'What to say to the user'),
    // The journal stores the message with the end of the call, so a repeated run does not send it twice.
    effect: 'read',
    metadata: NO_BANNER_METADATA,
    run(message, call) {
      if (message === undefined) return error("Missing 'message' parameter");
      if (!call.inSession) {
        call.log(createWarningEntry('a message was sent outside a session, so no one receives it.'));
        return 'Message noted (no active process to deliver it).';
      }
      call.say(message);
      return 'Message sent to user.';
    },
  });
