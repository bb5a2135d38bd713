import type { EventOf, SessionEvent } from '../journal/events.ts';
import type { CallRecord } from '../journal/state.ts';
import type { ModelError, ModelRequest, ToolDefinition } from '../model/chat-model.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/**
 * What happens in a loop, as the seam `watch` receives it: the loop's own data, to be read and not to be changed. `ms`: how long it
 * took, with the attempts and waits between.
 */
export type LoopMoment =
  | { readonly at: 'tools-changed'; readonly change: EventOf<'tools-changed'>; readonly offer: WatchedOffer }
  | { readonly at: 'ask'; readonly request: ModelRequest }
  | { readonly at: 'reply'; readonly reply: ModelReplied; readonly ms: number }
  | { readonly at: 'no-reply'; readonly failure: ModelError; readonly ms: number }
  | { readonly at: 'call'; readonly record: CallRecord; readonly offer: WatchedOffer }
  | {
      readonly at: 'result';
      readonly record: CallRecord;
      readonly offer: WatchedOffer;
      readonly result: ToolResult;
      readonly ms: number;
    }
  /** A step of the loop is over. Calls of its reply may be open. */
  | { readonly at: 'step' };

/** The tools that a loop offers, by their names and as the model is shown them. */
export interface WatchedOffer {
  readonly byName: ReadonlyMap<string, AnyTool>;
  readonly definitions: readonly ToolDefinition[];
}

type ModelReplied = Extract<SessionEvent, { type: 'model-replied' }>;
