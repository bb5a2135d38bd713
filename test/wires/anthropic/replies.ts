/** What the wire says at each place of its script, and the seals that its thinking carries. */
import { seal } from '../seal.ts';
import { fingerprint, type ScriptedReply } from '../wire.ts';
import { isThinking, type ThinkingBlock } from './conversation.ts';
import type { Prefix } from './prefix.ts';
import type { AnthropicBlock } from './request.ts';

/** What replies hold beside one thought, words and calls, each at places that follow from the script. */
export type AnthropicVariant =
  /** Thinking that is not shown stands behind the shown one in every third reply. */
  | 'redacted'
  /** The model thinks again between the calls of one reply and behind a search. */
  | 'interleaved'
  /** The text of every fourth thinking is empty: its signature is all of it. */
  | 'empty-thinking'
  /** Where `web_search` is declared, every fourth reply begins with a search that the provider ran. */
  | 'server-tools'
  /** The provider pauses behind its search and wants to be asked again; never unless it is named. */
  | 'pauses';

export interface Casting {
  readonly seed: string;
  /** Seeds of other models whose thoughts this one reads. */
  readonly kin?: readonly string[];
  readonly variants: ReadonlySet<AnthropicVariant>;
}

export function callIdOf(seed: string, { at }: ScriptedReply, call: number): string {
  return `toolu_01${fingerprint([seed, 'call', at, call], 22)}`;
}

/** The blocks of a reply in their order; its thinking is not signed yet. */
export function blocksOf(reply: ScriptedReply, { seed, variants }: Casting): readonly AnthropicBlock[] {
  const { at, thinking, text, calls } = reply;
  const blocks: AnthropicBlock[] = [];
  const think = (words: string) => blocks.push({ type: 'thinking', thinking: words, signature: '' });
  think(variants.has('empty-thinking') && at % 4 === 3 ? '' : thinking);
  if (variants.has('redacted') && at % 3 === 1) blocks.push({ type: 'redacted_thinking', data: '' });
  if (variants.has('server-tools') && at % 4 === 2) {
    blocks.push(...searchOf(seed, at));
    if (variants.has('interleaved')) think(`What the search of reply ${at + 1} found is enough.`);
  }
  if (text !== '') blocks.push({ type: 'text', text });
  for (const [index, { name, input }] of calls.entries()) {
    if (index > 0 && variants.has('interleaved')) think(`Beside call ${index}, one more is made.`);
    blocks.push({ type: 'tool_use', id: callIdOf(seed, reply, index), name, input: { ...input } });
  }
  return blocks;
}

/** How many blocks of a reply come before its pause; `undefined` for a reply that comes in one piece. */
export function pauseIn(blocks: readonly AnthropicBlock[], { variants }: Casting): number | undefined {
  const found = blocks.findIndex(({ type }) => type === 'web_search_tool_result');
  return variants.has('pauses') && found !== -1 ? found + 1 : undefined;
}

function searchOf(seed: string, at: number): readonly AnthropicBlock[] {
  const id = `srvtoolu_01${fingerprint([seed, 'search', at], 22)}`;
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

/** Signs a thinking block for its place: of reply `at`, the `index`th block that was thought there, behind `prefix`. */
export function signed(
  block: ThinkingBlock,
  seed: string,
  place: { readonly at: number; readonly index: number; readonly prefix: Prefix },
): ThinkingBlock {
  const { at, index, prefix } = place;
  const blob = seal(seed, { at, index, of: wordsHash(block), ...prefix });
  return block.type === 'thinking' ? { ...block, signature: blob } : { ...block, data: blob };
}

/** What of a thinking block its signature covers beside its place. */
export function wordsHash(block: ThinkingBlock): string {
  return fingerprint([block.type, block.type === 'thinking' ? block.thinking : ''], 14);
}

/** The blocks of a reply by the names under which they are compared: thinking by its place, the rest by all it says. */
export function thinkingIndexes(blocks: readonly AnthropicBlock[]): readonly (number | undefined)[] {
  let index = 0;
  return blocks.map((block) => (isThinking(block) ? index++ : undefined));
}
