import type { UIMessageChunk as ChunkOf7 } from 'ai';
import type { UIMessageChunk as ChunkOf6 } from 'ai-v6';
import type { UiChunk, UiChunkOf7 } from '../../src/surfaces/ai-sdk-ui/entry.ts';

/** The SDK's types do not declare `parts` as read-only. */
type Changeable<Chunk> = Chunk extends { readonly parts: readonly (infer Part)[] }
  ? Omit<Chunk, 'parts'> & { parts: Part[] }
  : Chunk;

export const forVersion7 = (chunk: Changeable<UiChunk>): ChunkOf7 => chunk;
export const forVersion6 = (chunk: Exclude<UiChunk, UiChunkOf7>): ChunkOf6 => chunk;

// @ts-expect-error version 6 does not know the chunks of version 7
export const notForVersion6 = (chunk: Changeable<UiChunkOf7>): ChunkOf6 => chunk;
