import { type EventOf, ROOT } from './events.ts';
import type { JournaledCall } from './reply-data.ts';
import { type Fold, type FrameState, frameOf, type TurnState } from './state.ts';
import { addUsage, type Measured, type PricedUsage, spentWith } from './usage.ts';

/**
 * Holds back what a model call may use, in its frame and in every one around it. What an earlier call of the frame holds
 * back without a reply stays: that attempt died, and nobody knows what it used.
 */
export function foldAsked(fold: Fold, event: EventOf<'model-asked'>): void {
  const frame = frameOf(fold, event);
  if (!frame) return;
  const { reserved, request } = event;
  frame.asked = { reserved, request, bytes: bytesOfHashed(event, frame.measured) };
  spend(framesAround(fold.turn, frame), reserved);
}

/**
 * Answers how many bytes a request was that older code journaled with hashes: as many as were held back for it, or, when
 * it went on from one whose tokens were told, the bytes of that one and what was held back beyond its tokens. When
 * neither is so, the number is wrong, and no request is found to go on from it.
 */
function bytesOfHashed(
  { reserved, request }: EventOf<'model-asked'>,
  before: Measured | undefined,
): number | undefined {
  if (typeof request.text === 'number') return undefined;
  const goesOn = (['model', 'system', 'tools'] as const).every(
    (key) => before?.request[key] === request[key],
  );
  const more = goesOn && before?.bytes !== undefined ? before.bytes - before.inputTokens : 0;
  return reserved.inputTokens + more;
}

/** Remembers that a limit does not let the loop go on. */
export function foldRefused(fold: Fold, event: EventOf<'model-refused'>): void {
  const frame = frameOf(fold, event);
  if (frame) frame.refused = { limit: event.limit, most: event.most };
}

/** Gives back what was held back for a request that its provider refused before it worked on it. */
export function giveBack(turn: TurnState, frame: FrameState): void {
  if (frame.asked) spend(framesAround(turn, frame), frame.asked.reserved, -1);
  frame.asked = undefined;
}

/** Puts what a reply used in the place of what was held back for it. Without a believable report, that counts. */
export function foldUsed({ state, turn }: Fold, frame: FrameState, usage: PricedUsage | undefined): void {
  const { asked } = frame;
  const around = framesAround(turn, frame);
  frame.asked = undefined;
  if (usage) for (const total of [turn.usage, state.usage]) addUsage(total, usage);
  // Servers that do not count report zeros, and no request is empty.
  if (!usage || usage.inputTokens === 0) {
    if (!asked && usage) spend(around, usage);
    return;
  }
  if (asked) spend(around, asked.reserved, -1);
  spend(around, { cost: asked?.reserved.cost ?? 0, ...usage });
  if (!asked) return;
  const { request, bytes } = asked;
  frame.measured = { request, bytes, inputTokens: usage.inputTokens };
  if (frame.id === ROOT) state.measured = frame.measured;
}

/** Counts what a model used that was asked aside: its request tells nothing of the next one of the conversation. */
export function foldAside(fold: Fold, usage: PricedUsage | undefined): void {
  const root = fold.turn.frames.get(ROOT);
  if (!root) return;
  const { measured } = root;
  foldUsed(fold, root, usage);
  root.measured = measured;
  fold.state.measured = measured;
}

function spend(frames: readonly FrameState[], usage: PricedUsage, sign: 1 | -1 = 1): void {
  for (const frame of frames) frame.spent = spentWith(frame.spent, usage, sign);
}

/** The frame itself and those around it, from the inside out. */
export function framesAround({ frames }: Pick<TurnState, 'frames'>, from: FrameState): FrameState[] {
  const around: FrameState[] = [];
  for (let frame: FrameState | undefined = from; frame; ) {
    around.push(frame);
    frame = frame.id === ROOT ? undefined : frames.get(frame.parent ?? ROOT);
  }
  return around;
}

/** Counts the calls of a reply. */
export function countCalls(calls: readonly JournaledCall[], turn: TurnState): void {
  turn.toolCalls += calls.length;
  for (const name of calls.map(toolOf)) turn.callsByTool.set(name, (turn.callsByTool.get(name) ?? 0) + 1);
}

/** The tool for which a call counts: the one behind an unfolding tool that it is meant for, or the one that it names. */
export const toolOf = ({ name, meant = name }: Pick<JournaledCall, 'name' | 'meant'>): string => meant;
