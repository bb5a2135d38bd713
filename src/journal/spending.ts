import { type PricedUsage, ROOT, type SessionEvent } from './events.ts';
import type { FrameState, SessionState, Spent, Totals, TurnState } from './state.ts';

type Asked = Extract<SessionEvent, { type: 'model-asked' }>;
type Refused = Extract<SessionEvent, { type: 'model-refused' }>;
type Replied = Extract<SessionEvent, { type: 'model-replied' }>;

/** A loop that has asked for nothing. */
export const NOTHING_SPENT: Spent = { tokens: 0, cost: 0 };

/**
 * Holds back what a model call may use, in its frame and in every one around it. What an earlier call of the frame holds
 * back without a reply stays: that attempt died, and nobody knows what it used.
 */
export function foldAsked(turn: TurnState, { frame: id, reserved, request }: Asked): void {
  const frame = turn.frames.get(id ?? ROOT);
  if (!frame) return;
  frame.asked = { reserved, request };
  spend(turn, frame, reserved, 1);
}

/** Gives back what was held back for a request that its provider refused before it worked on it. */
export function foldUnasked(turn: TurnState, frame: FrameState): void {
  if (frame.asked) spend(turn, frame, frame.asked.reserved, -1);
  frame.asked = undefined;
}

/** The loop may not go on. */
export function foldRefused(turn: TurnState, { frame: id, limit, most }: Refused): void {
  const frame = turn.frames.get(id ?? ROOT);
  if (frame) frame.refused = { limit, most };
}

/** Puts what a reply used in the place of what was held back for it. Without a believable report, that counts. */
export function foldUsed(
  state: SessionState,
  turn: TurnState,
  frame: FrameState,
  { usage }: Pick<Replied, 'usage'>,
): void {
  const { asked } = frame;
  frame.asked = undefined;
  if (usage) for (const total of [turn.usage, state.usage]) addUsage(total, usage);
  // Servers that do not count report zeros, and no request is empty.
  if (!usage || usage.inputTokens === 0) {
    if (!asked && usage) spend(turn, frame, usage, 1);
    return;
  }
  if (asked) spend(turn, frame, asked.reserved, -1);
  spend(turn, frame, { cost: asked?.reserved.cost ?? 0, ...usage }, 1);
  if (!asked) return;
  frame.measured = { request: asked.request, inputTokens: usage.inputTokens };
  if (frame.id === ROOT) state.measured = frame.measured;
}

function spend(
  turn: TurnState,
  from: FrameState,
  { inputTokens, outputTokens, cost = 0 }: PricedUsage,
  sign: 1 | -1,
): void {
  for (const frame of framesAround(turn, from)) {
    const { spent } = frame;
    frame.spent = {
      tokens: spent.tokens + sign * (inputTokens + outputTokens),
      cost: exact(spent.cost + sign * cost),
    };
  }
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

function addUsage(total: Totals, { inputTokens, outputTokens, cost }: PricedUsage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (cost !== undefined) total.cost = exact((total.cost ?? 0) + cost);
}

/** USD as events have it, so that what is added and taken away again leaves nothing behind. */
const exact = (usd: number): number => Math.round(usd * 1e12) / 1e12;
