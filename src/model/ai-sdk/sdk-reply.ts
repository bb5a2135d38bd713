import { ModelError, type ModelReply, type RequestedCall } from '../chat-model.ts';
import { countUsage, type Usage } from '../prices.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { cutShort, invalidReply, jsonTextOf, stringOf, withUniqueIds } from '../untrusted-reply.ts';

/** It is more than any model writes at once, in characters; a Worker has 128 MB for everything. */
export const MAX_REPLY_LENGTH = 8 * 1024 * 1024;

/** Puts one reply together from the parts that a model of the AI SDK gives. */
interface SdkReply {
  /** Hands the piece on, unless it is empty. */
  addText(piece: string): void;
  /** Takes a `tool-call` part; one that the provider runs itself is not ours to run. */
  addCall(part: UntrustedRecord): void;
  /**
   * Takes how the reply ended, from a `finish` part or a whole result, and makes the reply.
   *
   * @throws ModelError when it did not end well.
   */
  end(ending: UntrustedRecord): ModelReply;
}

/** Creates an empty reply. `onText` gets each piece of text as it is added. */
export const createSdkReply = (onText: (piece: string) => void): SdkReply => {
  const calls: RequestedCall[] = [];
  let text = '';
  let length = 0;

  const grow = (more: string): void => {
    length += more.length;
    if (length > MAX_REPLY_LENGTH)
      throw invalidReply(`The model's reply is longer than ${MAX_REPLY_LENGTH} characters.`);
  };

  return {
    addText(piece) {
      if (piece === '') return;
      grow(piece);
      text += piece;
      onText(piece);
    },

    addCall(part) {
      if (part.providerExecuted === true) return;
      // The interface says that an input is text; some models of the community hand over what they parsed.
      const input = jsonTextOf(part.input);
      grow(input);
      calls.push({ id: stringOf(part, 'toolCallId'), name: stringOf(part, 'toolName'), input });
    },

    end({ finishReason, usage }) {
      const toolCalls = withUniqueIds(calls);
      return { text, toolCalls, finish: finishOf(finishReason, toolCalls.length), usage: usageOf(usage) };
    },
  };
};

const finishOf = (finishReason: unknown, callCount: number): ModelReply['finish'] => {
  const unified = isRecord(finishReason) ? finishReason.unified : undefined;
  switch (unified) {
    case 'error':
      throw new ModelError('server-error', 'The model stopped because of an error.');
    case 'interrupted':
      throw cutShort();
    case 'stop':
      // Some servers end a reply that holds tool calls with `stop`.
      return callCount > 0 ? 'tool-calls' : 'stop';
    case 'length':
    case 'content-filter':
    case 'tool-calls':
      return unified;
    default:
      return 'other';
  }
};

const usageOf = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  return isRecord(inputTokens) && isRecord(outputTokens)
    ? countUsage(inputTokens.total, outputTokens.total, {
        cachedInputTokens: inputTokens.cacheRead,
        cacheWriteTokens: inputTokens.cacheWrite,
        reasoningTokens: outputTokens.reasoning,
      })
    : undefined;
};
