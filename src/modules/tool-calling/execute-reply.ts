import { openBatch } from '../../journal/conversation.ts';
import { ROOT } from '../../journal/events.ts';
import { getToolName } from '../../journal/spending.ts';
import type { CallRecord, Message } from '../../journal/state.ts';
import { toRepliedEvent } from '../../loop/ask-model.ts';
import { type Holder, InterruptionError } from '../../loop/holder.ts';
import { createMemoryLoop, type MemoryLoop, type MemoryLoopConfig } from '../../loop/memory-loop.ts';
import { decideNextStep } from '../../loop/next-step.ts';
import { offerTools } from '../../loop/offer-tools.ts';
import { runBatch } from '../../loop/run-loop.ts';
import type { ModelMessage, ModelReply } from '../../model/chat-model.ts';
import { createToolResult, getModelText, type Signal, type ToolResult } from '../../tool/tool-result.ts';
import { CALL_COUNTS } from '../limits/call-limits.ts';

/** The calls to execute, and the state of the loop. */
interface ReplyExecution {
  readonly config: MemoryLoopConfig;
  readonly messages: readonly ModelMessage[];
  readonly reply: ModelReply;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the calls of a reply as one batch of a loop with these messages.
 *
 * @throws the reason of `signal` if it aborts.
 */
export async function executeReply({
  config,
  messages,
  reply,
  signal,
}: ReplyExecution): Promise<ToolExecutionResult> {
  const stop = new AbortController();
  const onAbort = (): void =>
    stop.abort(new InterruptionError('cancelled', 'The program has stopped the calls.'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const endings: (() => Promise<unknown>)[] = [];
  const holder = {
    ...createSignalHolder(stop.signal),
    atEnd: (work: () => Promise<unknown>) => endings.push(work),
  };
  try {
    const loop = createMemoryLoop({ ...config, holder });
    return await execute(loop, messages, reply);
  } catch (thrown) {
    throw stop.signal.aborted ? signal?.reason : thrown;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    void Promise.allSettled(endings.map(async (end) => end()));
  }
}

const createSignalHolder = (signal: AbortSignal): Partial<Holder> => ({
  signal,
  modelSignal: signal,
  checkpoint: () => signal.throwIfAborted(),
});

async function execute(
  { loop, state }: MemoryLoop,
  messages: readonly ModelMessage[],
  reply: ModelReply,
): Promise<ToolExecutionResult> {
  state.messages.splice(0, state.messages.length, ...toMessages(messages));
  const { frame, spec } = loop;
  countSinceQuestion(state);
  loop.journal.emit(toRepliedEvent(loop, reply, { last: false, offered: offerTools(loop, 'now') }));
  const calls = openBatch(frame);
  await runBatch(loop);
  const step = decideNextStep(frame, spec);
  const end = step.do === 'end' ? step : undefined;
  return toExecutionResult({
    messages,
    reply,
    calls,
    returnDirect: end?.outcome === 'returned-direct',
    signal: end?.signal,
  });
}

/** Counts the calls since the user's last message, to which limits apply. */
function countSinceQuestion({ messages, memories, turn }: MemoryLoop['state']): void {
  if (!turn) return;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const place = { turn: turn.id, frame: ROOT, path: '', loops: [ROOT] };
  const calls = messages
    .slice(asked + 1)
    .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    .map((call) => ({ id: call.id, tool: getToolName(call) }));
  const counted = CALL_COUNTS.observe?.(CALL_COUNTS.initial, { type: 'calls-made', ...place, calls });
  memories.set(CALL_COUNTS.name, counted ?? CALL_COUNTS.initial);
}

/** Converts a conversation from the model's format to the journal's. Omits system messages. */
function toMessages(messages: readonly ModelMessage[]): Message[] {
  const grouped: Message[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break;
      case 'user':
        grouped.push({ role: 'user', text: message.text });
        break;
      case 'assistant': {
        const calls = message.toolCalls.map((call): CallRecord => ({ ...call, providerId: call.id }));
        grouped.push({ role: 'assistant', text: message.text, calls, last: false });
        break;
      }
      case 'tool':
        recordAnswer(grouped.at(-1), message);
        break;
    }
  }
  return grouped;
}

/**
 * Sets the result of the first call with this id that has no result, since some providers use one id for
 * several calls.
 */
function recordAnswer(
  reply: Message | undefined,
  { id, text }: Extract<ModelMessage, { role: 'tool' }>,
): void {
  if (reply?.role !== 'assistant') return;
  const call = reply.calls.find((one) => one.id === id && !one.ended);
  if (call) call.ended = { result: { type: 'text', content: text }, direct: false, changes: undefined };
}

/** A call that was executed, or that got a result without running. */
export interface ExecutedCall {
  /** The provider's id of the call. */
  readonly id: string;
  readonly name: string;
  /** The input as the model wrote it. */
  readonly input: string;
  readonly result: ToolResult;
}

/** The result of one call, as an answer to the user. */
export interface Generation {
  readonly text: string;
  readonly finish: 'returnDirect';
  readonly metadata: { readonly toolId: string; readonly toolName: string };
}

/** The outcome of the calls of one reply. Never mutated. */
export interface ToolExecutionResult {
  /** The previous messages, the reply, and the results of its calls in source order. */
  readonly history: readonly ModelMessage[];
  readonly results: readonly ExecutedCall[];
  /** `true` if the results are the answer to the user. */
  readonly returnDirect: boolean;
  /** `true` if any reply of the history calls tools. Always `true` after an execution. */
  readonly hasToolCalls: boolean;
  /** `true` if the model must be called again. `false` after a direct return or a signal. */
  readonly needsModelCall: boolean;
  /**
   * The results of this reply's calls as answers to the user. After a direct return, contains only the calls
   * that returned directly, in the form of a session's answer.
   */
  readonly generations: readonly Generation[];
  /** The signal of the call that ended the loop. */
  readonly signal?: Signal | undefined;
}

interface ExecutedReply {
  readonly messages: readonly ModelMessage[];
  readonly reply: ModelReply;
  readonly calls: readonly CallRecord[];
  readonly returnDirect: boolean;
  readonly signal?: Signal | undefined;
}

/** Builds the result from the ended calls of a reply. */
function toExecutionResult({
  messages,
  reply,
  calls,
  returnDirect,
  signal,
}: ExecutedReply): ToolExecutionResult {
  const results = calls.flatMap(({ providerId, name, input, ended }) =>
    ended ? [{ id: providerId, name, input, result: createToolResult(ended.result) }] : [],
  );
  const said = results.map(({ id, name, result }) => ({ id, name, text: getModelText(result) }));
  // After a direct return, only the calls that returned directly are the answer. The other results were for
  // the model.
  const answers = calls.flatMap(({ ended }, index) =>
    !returnDirect || ended?.direct ? (said[index] ?? []) : [],
  );
  const history: readonly ModelMessage[] = [
    ...messages,
    {
      role: 'assistant',
      text: reply.text,
      toolCalls: reply.toolCalls,
      ...(reply.parts && { parts: reply.parts }),
      ...(reply.provider && { provider: reply.provider }),
      ...(reply.madeBy && { madeBy: reply.madeBy }),
    },
    ...said.map((one) => ({ role: 'tool', ...one }) as const),
  ];
  return Object.freeze({
    history: Object.freeze(history),
    results: Object.freeze(results),
    returnDirect,
    hasToolCalls: history.some((message) => message.role === 'assistant' && message.toolCalls.length > 0),
    needsModelCall: !returnDirect && signal === undefined,
    generations: answers.map(
      ({ id, name, text }): Generation => ({
        text,
        finish: 'returnDirect',
        metadata: { toolId: id, toolName: name },
      }),
    ),
    ...(signal && { signal }),
  });
}
