import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { ChatModel } from '../../../../../src/index.ts';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../../../../../src/model/entry.ts';
import { hello, toSseText } from '../openai-compatible/fake-server.ts';

/** The events of one streamed response. */
export type WireEvents = readonly unknown[];

/** Returns a model whose provider's server sends these streams in turn and repeats the last one. */
export function createWire(
  make: (fetch: typeof globalThis.fetch) => LanguageModelV4 | LanguageModelV3,
  streams: readonly WireEvents[],
  options: FromAiSdkOptions = {},
): { readonly model: ChatModel; readonly sent: readonly Record<string, unknown>[] } {
  const sent: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const events = streams[Math.min(sent.length, streams.length - 1)] ?? [];
    sent.push(JSON.parse(String(init?.body)));
    return new Response(toSseText(...events), { headers: { 'content-type': 'text/event-stream' } });
  };
  return { model: fromAiSdk(make(fetch), { retries: 0, ...options }), sent };
}

/** Returns the reply as a message of the conversation, and a result for each of its calls. */
export const toConversation = (reply: ModelReply): ModelMessage[] => {
  const { text, toolCalls, parts, provider } = reply;
  return [
    { role: 'assistant', text, toolCalls, parts, provider },
    ...toolCalls.map(({ id, name }) => ({ role: 'tool', id, name, text: 'seen' }) as const),
  ];
};

/**
 * Sends two requests. The second one adds the reply and a new user message. Returns the reply and the body of
 * the second request.
 */
export async function sendBackAndForth(
  { model, sent }: ReturnType<typeof createWire>,
  request: ModelRequest = hello,
): Promise<{ readonly reply: ModelReply; readonly body: Record<string, unknown> }> {
  const { signal } = new AbortController();
  const reply = await model.ask(request, { signal });
  const messages = [...request.messages, ...toConversation(reply), { role: 'user', text: 'And?' } as const];
  await model.ask({ ...request, messages }, { signal });
  return { reply, body: sent[1] ?? {} };
}
