import type { UIMessageChunk as ChunkOf7 } from 'ai';
import type { UIMessageChunk as ChunkOf6 } from 'ai-v6';
import type { UiChunk, UiChunkOf7 } from '../../src/surfaces/ai-sdk-ui/entry.ts';

/** The SDK's types do not declare `parts` as read-only. */
type ChangeableChunk<Chunk> = Chunk extends { readonly parts: readonly (infer Part)[] }
  ? Omit<Chunk, 'parts'> & { parts: Part[] }
  : Chunk;

export const toVersion7 = (chunk: ChangeableChunk<UiChunk>): ChunkOf7 => chunk;
export const toVersion6 = (chunk: Exclude<UiChunk, UiChunkOf7>): ChunkOf6 => chunk;

// @ts-expect-error version 6 does not know the chunks of version 7
export const toWrongVersion6 = (chunk: ChangeableChunk<UiChunkOf7>): ChunkOf6 => chunk;
