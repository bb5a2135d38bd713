import type { ReplyPart, ToolCallPart } from '../model/parts.ts';

/** One tool call as the model asked for it. */
export interface JournaledCall {
  /** `{turn}.{sequence of this event}.{index}`. */
  readonly id: string;
  /** The provider's id; used on the wire to the model and nowhere else. */
  readonly providerId: string;
  readonly name: string;
  /** The tool that the call is meant for and counts for, where that is not the one it names: an unfolding tool may stand for others. */
  readonly meant?: string;
  /** The model's own text; schemas parse it again on every resume. */
  readonly input: string;
}

/** One part of a reply; a call that is ours to run stands in it as it is journaled. */
export type JournaledPart =
  | Exclude<ReplyPart, ToolCallPart>
  | (ToolCallPart & { readonly ranBy: 'provider' })
  | (JournaledCall &
      Pick<ToolCallPart, 'type' | 'provider'> & {
        /** The name as the model wrote it, where a policy took it for that of a tool. */
        readonly called?: string;
        readonly ranBy?: never;
      });

/** A tool as a model was offered it. */
export interface OfferedTool {
  readonly name: string;
  /** Of its name, description and schema. */
  readonly hash: string;
}

/** What a model was asked with, by hashes: another one tells that code or settings have changed since. */
export interface AskedWith {
  readonly instructions: string;
  /** Of the list of tools, in any order. */
  readonly tools: string;
  /** Of all that stood before the reply, where its model signs that too. */
  readonly prefix?: string;
}

/** Which tools came and went between two requests of a loop; one that was replaced by another of its name did both. */
export interface ToolsChange {
  /** In the order in which they stand behind all others from now on; in the place of one of that name, if there was one. */
  readonly came: readonly OfferedTool[];
  readonly went: readonly OfferedTool[];
}
