/**
 * What stands before a thinking block: the system text, the tools, the messages and the thinking. Newer models bind
 * their thinking to it. Each is a hash that the block's signature carries.
 */
import { fingerprint } from '../wire.ts';
import { isThinking, type Said, settled, withoutMarks } from './conversation.ts';
import type { AnthropicBlock, AnthropicBody } from './request.ts';

/** A type and not an interface, so that it may be spread into the fields of a seal. */
export type Prefix = {
  readonly system: string;
  /** Tools whose loading is deferred are no part of it. */
  readonly tools: string;
  /** All that was said before, without the thinking. */
  readonly messages: string;
  /** The signatures of all thinking before. */
  readonly thinking: string;
};

/** Collects what a conversation says, and tells the prefix at each point of it. */
export class PrefixReader {
  readonly #system: string;
  readonly #tools: string;
  readonly #said: unknown[] = [];
  readonly #thought: string[] = [];

  constructor({ system, tools }: AnthropicBody) {
    const text = typeof system === 'string' ? system : (system ?? []).map((block) => block.text);
    this.#system = hash([text].flat());
    this.#tools = hash(
      (tools ?? [])
        .filter((tool) => tool.defer_loading !== true)
        .map(({ cache_control: _, ...tool }) => tool),
    );
  }

  /** The prefix of what comes next. */
  get prefix(): Prefix {
    return {
      system: this.#system,
      tools: this.#tools,
      messages: hash(this.#said),
      thinking: hash(this.#thought),
    };
  }

  readSide({ role }: Pick<Said, 'role'>): void {
    this.#said.push(role);
  }

  readBlock(block: AnthropicBlock): void {
    if (!isThinking(block)) this.#said.push(withoutMarks(block));
    else this.#thought.push(block.type === 'thinking' ? block.signature : block.data);
  }
}

/** Reads a conversation up to its end, and calls `visit` before each block with the prefix at that point. */
export function readConversation(
  reader: PrefixReader,
  conversation: readonly Said[],
  visit: (block: AnthropicBlock, path: string) => void,
): void {
  for (const said of conversation) {
    reader.readSide(said);
    for (const { block, path } of settled(said.blocks, (placed) => placed.block)) {
      visit(block, path);
      reader.readBlock(block);
    }
  }
}

function hash(value: readonly unknown[]): string {
  return fingerprint(value, 14);
}
