import type { UIMessageChunk as ChunkOf7 } from 'ai';
import type { UIMessageChunk as ChunkOf6 } from 'ai-v6';
import type { UiChunk, UiChunkOf7 } from '../../src/surfaces/ai-sdk-ui/entry.ts';

/** The types of the SDK say nothing of what is not changed. */
type Changeable<Chunk> = Chunk extends { readonly parts: readonly (infer Part)[] }
  ? Omit<Chunk, 'parts'> & { parts: Part[] }
  : Chunk;

export const forVersion7 = (chunk: Changeable<UiChunk>): ChunkOf7 => chunk;
export const forVersion6 = (chunk: Exclude<UiChunk, UiChunkOf7>): ChunkOf6 => chunk;

// @ts-expect-error what only version 7 knows
export const notForVersion6 = (chunk: Changeable<UiChunkOf7>): ChunkOf6 => chunk;
