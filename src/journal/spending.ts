import type { Usage } from '../model/prices.ts';
import { type EventOf, ROOT } from './events.ts';
import type { JournaledCall, PricedUsage, UsageTotals } from './reply-data.ts';
import { type Fold, type FrameState, findFrame, type TurnState } from './state.ts';

/** Records that a limit ends the loop. */
export function foldRefused(fold: Fold, event: EventOf<'model-refused'>): void {
  const frame = findFrame(fold, event);
  if (frame) frame.refused = { limit: event.limit, most: event.most };
}

/** Adds the usage that a model reported. */
export function foldUsage({ state, turn }: Fold, usage: PricedUsage | undefined): void {
  if (usage) for (const total of [turn.usage, state.usage]) addUsage(total, usage);
}

/** Returns the frame and those around it, innermost first. */
export function listOuterFrames({ frames }: Pick<TurnState, 'frames'>, from: FrameState): FrameState[] {
  const around: FrameState[] = [];
  for (let frame: FrameState | undefined = from; frame; ) {
    around.push(frame);
    frame = frame.id === ROOT ? undefined : frames.get(frame.parent ?? ROOT);
  }
  return around;
}

/**
 * Returns the tool that a call counts for: the tool behind an unfolding tool, if the call is for that, or the
 * named one.
 */
export const getToolName = ({ name, meant = name }: Pick<JournaledCall, 'name' | 'meant'>): string => meant;

/** Adds a usage to totals, in place. */
export function addUsage(total: UsageTotals, usage: PricedUsage): void {
  const { inputTokens, outputTokens, cost } = usage;
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  for (const part of ['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const more = usage[part];
    if (more !== undefined) total[part] = (total[part] ?? 0) + more;
  }
  if (cost !== undefined) total.cost = roundUsd((total.cost ?? 0) + cost);
}

/** Rounds USD to twelve decimals, as in events. */
const roundUsd = (usd: number): number => Math.round(usd * 1e12) / 1e12;

export const sumTokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
