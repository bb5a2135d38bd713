import type { ChatModel, ModelMessage, ModelReply } from '../../../src/model/chat-model.ts';
import type { ScriptedCall } from '../../../src/testing/scripted-model.ts';

/** What a model answers to one message: its replies in order, each its words or its calls. */
export interface Exchange {
  /** Part of the message. Of several that fit, the first is played. */
  readonly to: string;
  readonly replies: readonly (string | readonly (string | ScriptedCall)[])[];
}

/** The words of a model that was asked for more than its script has: a play then differs from what was meant. */
export const OFF_SCRIPT = 'The script is over.';

/** Answers by what was said so far, and by nothing else: a request that is repeated gets the same reply. */
export const modelOf = (script: readonly Exchange[]): ChatModel => ({
  name: 'script',
  ask: async ({ messages }) => replyTo(script, messages),
});

function replyTo(script: readonly Exchange[], messages: readonly ModelMessage[]): ModelReply {
  const begins = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[begins]?.text ?? '';
  const position = messages.slice(begins).filter(({ role }) => role === 'assistant').length;
  const played = script.findIndex(({ to }) => asked.includes(to));
  const reply = script[played]?.replies[position] ?? OFF_SCRIPT;
  const usage = { inputTokens: messages.length, outputTokens: 3 };
  if (typeof reply === 'string') return { text: reply, toolCalls: [], finish: 'stop', usage };
  const toolCalls = reply.map((call, index) => {
    const { name, input = {} } = typeof call === 'string' ? { name: call } : call;
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return { id: `p${played}-${position}-${index}`, name, input: text };
  });
  return { text: '', toolCalls, finish: 'tool-calls', usage };
}
