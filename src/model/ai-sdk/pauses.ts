import type { ModelMessage, ModelReply } from '../chat-model.ts';
import { plainParts, wordsOf } from '../parts.ts';
import { plausible, type Usage } from '../prices.ts';
import { askSdk, type SdkAsk } from './ask-sdk.ts';

/** How often a reply is gone on with that its server has paused. */
const MAX_ROUNDS = 8;

/**
 * Asks for one reply. Anthropic's server pauses a long one, in which it runs tools itself, and goes on when it is shown
 * what there is: all of it is one reply. `again` is awaited before each further request.
 *
 * @throws ModelError whenever there is no complete reply, and what `again` rejects with.
 */
export async function askThroughPauses(
  ask: SdkAsk,
  again: (() => Promise<void>) | undefined,
): Promise<ModelReply> {
  let { reply, raw } = await askSdk(ask);
  for (let round = 1; raw === 'pause_turn' && reply.toolCalls.length === 0; round += 1) {
    // Whoever asked is told that it is not the end.
    if (round > MAX_ROUNDS) return { ...reply, finish: 'other' };
    await again?.();
    const messages = [...ask.request.messages, toMessage(reply)];
    const more = await askSdk({ ...ask, request: { ...ask.request, messages } });
    reply = joined(reply, more.reply);
    raw = more.raw;
  }
  return reply;
}

const toMessage = ({ text, toolCalls, parts, provider }: ModelReply): ModelMessage => ({
  role: 'assistant',
  text,
  toolCalls,
  parts,
  provider,
});

function joined(first: ModelReply, second: ModelReply): ModelReply {
  const parts = [first, second].flatMap(
    ({ parts: given, text, toolCalls }) => given ?? plainParts(text, toolCalls),
  );
  const provider = second.provider ?? first.provider;
  return {
    ...second,
    text: wordsOf(parts),
    parts,
    ...(provider && { provider }),
    usage: summed(first.usage, second.usage),
  };
}

/** Both were paid for; what nobody counted is not known of the whole. */
function summed(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (!first || !second) return undefined;
  const both = (count: keyof Usage): number => (first[count] ?? 0) + (second[count] ?? 0);
  return plausible(
    { inputTokens: both('inputTokens'), outputTokens: both('outputTokens') },
    {
      cachedInputTokens: both('cachedInputTokens'),
      cacheWriteTokens: both('cacheWriteTokens'),
      reasoningTokens: both('reasoningTokens'),
    },
  );
}
