import type { FrameState } from '../journal/state.ts';
import type { ToolDefinition } from '../model/chat-model.ts';
import { distinctTools } from '../tools/distinct-tools.ts';
import type { LoopView } from '../tools/injection.ts';
import { memoized } from '../tools/memoized.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Loop } from './loop.ts';
import { loopView, type Moment } from './loop-view.ts';

/** The tools that a model may call now. */
export interface Offer {
  /** Looked up by names from a model: a `Map`, never an object. */
  readonly byName: ReadonlyMap<string, AnyTool>;
  /** As the model is shown them, sorted by name so that a provider's prompt cache holds (TOOL-21). */
  readonly definitions: readonly ToolDefinition[];
}

/** What the frame's model is offered now, or was when it made its last reply; made from the state alone. */
export function offerTools(loop: Loop, frame: FrameState, moment: Moment): Offer {
  return toOffer(offeredIn(loop, loopView(loop, frame, moment)));
}

/** What the strategies of a loop make of its tools, in their order; two may have one name. */
export const offeredIn = ({ strategies, tools }: Loop, view: LoopView): readonly AnyTool[] =>
  strategies.reduce((offered, strategy) => strategy.offer(offered, view), tools);

/** Sorts and indexes a list once; an unchanged list costs nothing. Of tools of one name the first is offered (AEV-05). */
const toOffer = memoized((tools: readonly AnyTool[]): Offer => {
  const sorted = distinctTools(tools);
  return {
    byName: new Map(sorted.map((tool) => [tool.name, tool])),
    definitions: sorted.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  };
});
