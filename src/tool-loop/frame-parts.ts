import type { Frame } from '../tools/frame.ts';
import type { Loop } from './loop.ts';
import type { LoopAgent } from './loop-agent.ts';

/** What a nested loop may have of its own beside what a tool knows of; the rest is that of the loop around it. */
export interface FrameParts
  extends Partial<Pick<Loop, 'model' | 'output' | 'policies' | 'inspectors' | 'transformers'>> {
  /** Runs the frame: by its definition, or by its name in the app. */
  readonly agent?: LoopAgent | string;
}

const known = new WeakMap<Frame, FrameParts>();

/**
 * The frame, with parts that only the loop understands. They go beside it, since a tool knows of no model: so the frame
 * that is answered is the one to nest, and no copy of it.
 */
export function withParts(frame: Frame, parts: FrameParts): Frame {
  const own = { ...frame };
  known.set(own, parts);
  return own;
}

/** What `withParts` was given with this frame. */
export const partsOf = (frame: Frame): FrameParts => known.get(frame) ?? {};
