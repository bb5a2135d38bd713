/** The replies at each position of the script, and the seals of their thinking. */
import { seal } from '../seal.ts';
import { computeFingerprint, type ScriptedReply } from '../wire.ts';
import { isThinking, type ThinkingBlock } from './conversation.ts';
import type { Prefix } from './prefix.ts';
import type { AnthropicBlock } from './request.ts';

/** Content of replies beyond a thought, text and calls. The script determines its positions. */
export type AnthropicVariant =
  /** Redacted thinking follows the visible thinking in every third reply. */
  | 'redacted'
  /** The model also thinks between the calls of a reply and after a search. */
  | 'interleaved'
  /** Every fourth thinking block has no text, only a signature. */
  | 'empty-thinking'
  /** If `web_search` is declared, every fourth reply begins with a search that the provider runs. */
  | 'server-tools'
  /** The provider pauses after its search and must be asked again. This is not one of the default variants. */
  | 'pauses';

export interface Casting {
  readonly seed: string;
  /** The seeds of other models whose thinking this model reads. */
  readonly kin?: readonly string[];
  readonly variants: ReadonlySet<AnthropicVariant>;
}

export function formatCallId(seed: string, { at }: ScriptedReply, call: number): string {
  return `toolu_01${computeFingerprint([seed, 'call', at, call], 22)}`;
}

/** Returns the blocks of a reply in order, with unsigned thinking. */
export function createBlocks(reply: ScriptedReply, { seed, variants }: Casting): readonly AnthropicBlock[] {
  const { at, thinking, text, calls } = reply;
  const blocks: AnthropicBlock[] = [];
  const addThinking = (words: string) => blocks.push({ type: 'thinking', thinking: words, signature: '' });
  addThinking(variants.has('empty-thinking') && at % 4 === 3 ? '' : thinking);
  if (variants.has('redacted') && at % 3 === 1) blocks.push({ type: 'redacted_thinking', data: '' });
  if (variants.has('server-tools') && at % 4 === 2) {
    blocks.push(...createSearchBlocks(seed, at));
    if (variants.has('interleaved')) addThinking(`What the search of reply ${at + 1} found is enough.`);
  }
  if (text !== '') blocks.push({ type: 'text', text });
  for (const [index, { name, input }] of calls.entries()) {
    if (index > 0 && variants.has('interleaved')) addThinking(`Beside call ${index}, one more is made.`);
    blocks.push({ type: 'tool_use', id: formatCallId(seed, reply, index), name, input: { ...input } });
  }
  return blocks;
}

/** Returns the number of blocks before the pause of a reply, or `undefined` if there is no pause. */
export function findPause(blocks: readonly AnthropicBlock[], { variants }: Casting): number | undefined {
  const found = blocks.findIndex(({ type }) => type === 'web_search_tool_result');
  return variants.has('pauses') && found !== -1 ? found + 1 : undefined;
}

function createSearchBlocks(seed: string, at: number): readonly AnthropicBlock[] {
  const id = `srvtoolu_01${computeFingerprint([seed, 'search', at], 22)}`;
  const found = {
    type: 'web_search_result' as const,
    url: `https://example.com/${at}`,
    title: `Page ${at}`,
    page_age: null,
    encrypted_content: seal(seed, { search: at }),
  };
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: `what reply ${at + 1} asks` } },
    { type: 'web_search_tool_result', tool_use_id: id, content: [found] },
  ];
}

/** Signs a thinking block for its position: the `index`th thinking block of reply `at`, after `prefix`. */
export function signThinking(
  block: ThinkingBlock,
  seed: string,
  place: { readonly at: number; readonly index: number; readonly prefix: Prefix },
): ThinkingBlock {
  const { at, index, prefix } = place;
  const blob = seal(seed, { at, index, of: hashWords(block), ...prefix });
  return block.type === 'thinking' ? { ...block, signature: blob } : { ...block, data: blob };
}

/** Hashes the content of a thinking block for its signature. */
export function hashWords(block: ThinkingBlock): string {
  return computeFingerprint([block.type, block.type === 'thinking' ? block.thinking : ''], 14);
}

/**
 * Returns the index of each thinking block among the thinking blocks of its reply, and `undefined` for other
 * blocks.
 */
export function indexThinking(blocks: readonly AnthropicBlock[]): readonly (number | undefined)[] {
  let index = 0;
  return blocks.map((block) => (isThinking(block) ? index++ : undefined));
}
