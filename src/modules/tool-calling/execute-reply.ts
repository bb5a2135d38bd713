import { openBatch } from '../../journal/conversation.ts';
import { ROOT } from '../../journal/events.ts';
import { toolOf } from '../../journal/spending.ts';
import type { CallRecord, Message } from '../../journal/state.ts';
import { replied } from '../../loop/ask-model.ts';
import { type Holder, Interrupted } from '../../loop/holder.ts';
import { type MemoryLoop, type MemoryLoopConfig, memoryLoop } from '../../loop/memory-loop.ts';
import { nextStep } from '../../loop/next-step.ts';
import { offerTools } from '../../loop/offer-tools.ts';
import { runBatch } from '../../loop/run-loop.ts';
import type { ModelMessage, ModelReply } from '../../model/chat-model.ts';
import { modelText, type Signal, type ToolResult, toolResult } from '../../tool/tool-result.ts';
import { COUNTED } from '../limits/call-limits.ts';

/** Says what is executed, and where the loop stood. */
interface Execution {
  readonly config: MemoryLoopConfig;
  readonly messages: readonly ModelMessage[];
  readonly reply: ModelReply;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the calls of a reply as the batch of a loop that stood at these messages.
 *
 * @throws the reason of `signal` when that aborts.
 */
export async function executeReply({
  config,
  messages,
  reply,
  signal,
}: Execution): Promise<ToolExecutionResult> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(new Interrupted('cancelled', 'The program has stopped the calls.'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const endings: (() => Promise<unknown>)[] = [];
  const holder = {
    ...stoppedBy(stop.signal),
    atEnd: (work: () => Promise<unknown>) => endings.push(work),
  };
  try {
    const loop = memoryLoop({ ...config, holder });
    return await execute(loop, messages, reply);
  } catch (thrown) {
    throw stop.signal.aborted ? signal?.reason : thrown;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    void Promise.allSettled(endings.map(async (end) => end()));
  }
}

const stoppedBy = (signal: AbortSignal): Partial<Holder> => ({
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
  countSince(state);
  loop.journal.emit(replied(loop, reply, { last: false, offered: offerTools(loop, 'now') }));
  const calls = openBatch(frame);
  await runBatch(loop);
  const step = nextStep(frame, spec);
  const end = step.do === 'end' ? step : undefined;
  return toExecutionResult({
    messages,
    reply,
    calls,
    returnDirect: end?.outcome === 'returned-direct',
    signal: end?.signal,
  });
}

/** Limits count since the last message of the user. */
function countSince({ messages, memories, turn }: MemoryLoop['state']): void {
  if (!turn) return;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const place = { turn: turn.id, frame: ROOT, path: '', loops: [ROOT] };
  const calls = messages
    .slice(asked + 1)
    .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    .map((call) => ({ id: call.id, tool: toolOf(call) }));
  const counted = COUNTED.observe?.(COUNTED.initial, { type: 'calls-made', ...place, calls });
  memories.set(COUNTED.name, counted ?? COUNTED.initial);
}

/** Groups a conversation, as a model is sent it, as the journal has it. System messages are no part of it. */
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
        answer(grouped.at(-1), message);
        break;
    }
  }
  return grouped;
}

/** Answers the first call of this id that has no result: some providers give several calls one id. */
function answer(reply: Message | undefined, { id, text }: Extract<ModelMessage, { role: 'tool' }>): void {
  if (reply?.role !== 'assistant') return;
  const call = reply.calls.find((one) => one.id === id && !one.ended);
  if (call) call.ended = { result: { type: 'text', content: text }, direct: false, changes: undefined };
}

/** One call that was executed, or answered without running. */
export interface ExecutedCall {
  /** The provider's id of the call. */
  readonly id: string;
  readonly name: string;
  /** The model's own text. */
  readonly input: string;
  readonly result: ToolResult;
}

/** The result of one call as an answer to the user. */
export interface Generation {
  readonly text: string;
  readonly finish: 'returnDirect';
  readonly metadata: { readonly toolId: string; readonly toolName: string };
}

/** What became of the calls of one reply; never mutated. */
export interface ToolExecutionResult {
  /** The messages that were given, the reply, and the result of each of its calls in source order. */
  readonly history: readonly ModelMessage[];
  readonly results: readonly ExecutedCall[];
  /** Whether the results are the answer to the user. */
  readonly returnDirect: boolean;
  /** Whether any reply of the history calls tools: after an execution always. */
  readonly hasToolCalls: boolean;
  /** Whether the model is to be asked again: not after a direct return or a signal. */
  readonly needsModelCall: boolean;
  /**
   * The results of this reply's calls, and of no earlier one, as answers to the user; of a direct return, of those calls that
   * returned directly, as a session answers it.
   */
  readonly generations: readonly Generation[];
  /** What a call sent to end the loop, when one did. */
  readonly signal?: Signal | undefined;
}

/** What was executed, and how that ended. */
interface Executed {
  readonly messages: readonly ModelMessage[];
  readonly reply: ModelReply;
  readonly calls: readonly CallRecord[];
  readonly returnDirect: boolean;
  readonly signal?: Signal | undefined;
}

/** Makes the result of the calls of a reply, which all have ended. */
function toExecutionResult({ messages, reply, calls, returnDirect, signal }: Executed): ToolExecutionResult {
  const results = calls.flatMap(({ providerId, name, input, ended }) =>
    ended ? [{ id: providerId, name, input, result: toolResult(ended.result) }] : [],
  );
  const said = results.map(({ id, name, result }) => ({ id, name, text: modelText(result) }));
  // Of a direct return those calls alone are the answer that returned directly: the others were for the model.
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
