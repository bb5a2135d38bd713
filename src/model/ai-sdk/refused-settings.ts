import type { ChatModel } from '../chat-model.ts';
import type { ModelSettings } from '../settings.ts';
import { isRecord } from '../untrusted-json.ts';

/** Which settings a provider of the SDK is known to refuse, or to change without a word; nothing for most. */
export const refusedBy = (provider: string): Pick<ChatModel, 'refuses'> =>
  /(?:^|\.)anthropic\b/.test(provider) ? { refuses: thinkingBesideForce } : {};

/** Anthropic lets no tool be forced while a model thinks; the SDK asks for `auto` in its place. */
const thinkingBesideForce = (settings: ModelSettings): string | undefined =>
  isForced(settings) && thinks(settings)
    ? "Anthropic forces no tool while a model thinks; use the toolChoice 'auto', or the reasoning 'none'"
    : undefined;

const isForced = ({ toolChoice }: ModelSettings): boolean =>
  toolChoice === 'required' || typeof toolChoice === 'object';

function thinks({ reasoning, providerOptions }: ModelSettings): boolean {
  const own = providerOptions?.anthropic;
  const thinking = isRecord(own) && isRecord(own.thinking) ? own.thinking.type : undefined;
  if (thinking !== undefined) return thinking !== 'disabled';
  return reasoning !== undefined && reasoning !== 'none';
}
