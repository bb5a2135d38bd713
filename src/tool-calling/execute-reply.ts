import { openBatch } from '../journal/conversation.ts';
import { countCalls } from '../journal/spending.ts';
import type { CallRecord, Message } from '../journal/state.ts';
import { replied } from '../loop/ask-model.ts';
import { type Holder, Interrupted } from '../loop/holder.ts';
import type { Loop } from '../loop/loop.ts';
import { type MemoryLoop, type MemoryLoopConfig, memoryLoop } from '../loop/memory-loop.ts';
import { nextStep } from '../loop/next-step.ts';
import { offerTools } from '../loop/offer-tools.ts';
import { runBatch } from '../loop/run-loop.ts';
import type { ModelMessage, ModelReply } from '../model/chat-model.ts';
import { type ToolExecutionResult, toExecutionResult } from './tool-execution-result.ts';

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
  countSince(state, frame);
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
function countSince({ messages, turn }: MemoryLoop['state'], frame: Loop['frame']): void {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  for (const message of messages.slice(asked + 1)) {
    if (turn && message.role === 'assistant') countCalls(message.calls, turn, frame);
  }
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
