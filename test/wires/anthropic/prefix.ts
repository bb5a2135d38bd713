/**
 * The prefix of a thinking block: the system text, the tools, the messages and the thinking. Newer models bind
 * their thinking to this prefix. The block's signature contains a hash of each part.
 */
import { computeFingerprint } from '../wire.ts';
import { isThinking, type SaidMessage, withoutMarks, withoutPending } from './conversation.ts';
import type { AnthropicBlock, AnthropicBody } from './request.ts';

/** A type, not an interface, so that it can be spread into the fields of a seal. */
export type Prefix = {
  readonly system: string;
  /** The hash of the tools, without those with deferred loading. */
  readonly tools: string;
  /** The hash of all earlier content without thinking. */
  readonly messages: string;
  /** The hash of the signatures of all earlier thinking. */
  readonly thinking: string;
};

/** Reads a conversation block by block, and returns the prefix at the current position. */
export class PrefixReader {
  readonly #system: string;
  readonly #tools: string;
  readonly #said: unknown[] = [];
  readonly #thought: string[] = [];

  constructor({ system, tools }: AnthropicBody) {
    const text = typeof system === 'string' ? system : (system ?? []).map((block) => block.text);
    this.#system = computeHash([text].flat());
    this.#tools = computeHash(
      (tools ?? [])
        .filter((tool) => tool.defer_loading !== true)
        .map(({ cache_control: _, ...tool }) => tool),
    );
  }

  /** The prefix of the next block. */
  get prefix(): Prefix {
    return {
      system: this.#system,
      tools: this.#tools,
      messages: computeHash(this.#said),
      thinking: computeHash(this.#thought),
    };
  }

  readSide({ role }: Pick<SaidMessage, 'role'>): void {
    this.#said.push(role);
  }

  readBlock(block: AnthropicBlock): void {
    if (!isThinking(block)) this.#said.push(withoutMarks(block));
    else this.#thought.push(block.type === 'thinking' ? block.signature : block.data);
  }
}

/** Reads a conversation to its end. Calls `visit` with the prefix before each block. */
export function readConversation(
  reader: PrefixReader,
  conversation: readonly SaidMessage[],
  visit: (block: AnthropicBlock, path: string) => void,
): void {
  for (const said of conversation) {
    reader.readSide(said);
    for (const { block, path } of withoutPending(said.blocks, (placed) => placed.block)) {
      visit(block, path);
      reader.readBlock(block);
    }
  }
}

function computeHash(value: readonly unknown[]): string {
  return computeFingerprint(value, 14);
}
