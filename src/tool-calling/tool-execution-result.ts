import type { CallRecord } from '../journal/state.ts';
import type { ModelMessage, ModelReply } from '../model/chat-model.ts';
import { modelText, type Signal, type ToolResult, toolResult } from '../tool/tool-result.ts';

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
export function toExecutionResult({
  messages,
  reply,
  calls,
  returnDirect,
  signal,
}: Executed): ToolExecutionResult {
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
