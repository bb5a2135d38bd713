import { OTHER_PART, PROVIDER_DATA, type ReplyPart, type ToolCallPart } from '../model/parts.ts';
import { USAGE, type Usage } from '../model/prices.ts';
import { type Infer, OPTIONAL_TEXT, type Shape, type ShapeAs, TEXT } from '../tool/shape.ts';

/** One tool call as the model asked for it. */
export interface JournaledCall extends Infer<typeof JOURNALED_CALL> {}
export const JOURNALED_CALL = {
  object: {
    /** `{turn}.{sequence of this event}.{index}`. */
    id: TEXT,
    /** The provider's id; used on the wire to the model and nowhere else. */
    providerId: TEXT,
    name: TEXT,
    /** The tool that the call is meant for and counts for, where that is not the one it names: an unfolding tool may stand for others. */
    meant: OPTIONAL_TEXT,
    /** The model's own text; schemas parse it again on every resume. */
    input: TEXT,
  },
} as const satisfies Shape;

/** Where a call was asked for: `undefined` for a text that is no id of a call, as a client may send. */
export function placeOfCall(id: string): { readonly turn: string; readonly reply: number } | undefined {
  const [, turn, reply] = CALL_ID.exec(id) ?? [];
  return turn === undefined ? undefined : { turn, reply: Number(reply) };
}

const CALL_ID = /^(.+)\.(\d+)\.\d+$/s;

const OUR_CALL = {
  object: {
    type: { only: 'tool-call' },
    provider: { optional: PROVIDER_DATA },
    /** The name as the model wrote it, where a policy took it for that of a tool. */
    called: OPTIONAL_TEXT,
  },
  and: JOURNALED_CALL,
} as const satisfies Shape;

/** One part of a reply; a call that is ours to run stands in it as it is journaled. */
export type JournaledPart =
  | Exclude<ReplyPart, ToolCallPart>
  | (ToolCallPart & { readonly ranBy: 'provider' })
  | (Infer<typeof OUR_CALL> & { readonly ranBy?: never });
export const JOURNALED_PART: ShapeAs<JournaledPart> = {
  like: { anyOf: [OTHER_PART, OUR_CALL] },
};

/** A tool as a model was offered it. */
export interface OfferedTool extends Infer<typeof OFFERED_TOOL> {}
export const OFFERED_TOOL = {
  object: {
    name: TEXT,
    /** Of its name, description and schema. */
    hash: TEXT,
  },
} as const satisfies Shape;

/** What a model was asked with, by hashes: another one tells that code or settings have changed since. */
export interface AskedWith extends Infer<typeof ASKED_WITH> {}
export const ASKED_WITH = {
  object: {
    instructions: TEXT,
    /** Of the list of tools, in any order. */
    tools: TEXT,
    /** Of all that stood before the reply, where its model signs that too. */
    prefix: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** How a model took over from another one, as by a fallback or a deploy. */
export interface TakeOver extends Infer<typeof TAKE_OVER> {}
export const TAKE_OVER = {
  object: {
    /** The model that made the last reply before this one. */
    from: TEXT,
    /** The types of the parts of that reply which this model was not shown as they were, such as `reasoning`. */
    unshown: { listOf: TEXT },
  },
} as const satisfies Shape;

/** Which tools came and went between two requests of a loop; one that was replaced by another of its name did both. */
export interface ToolsChange extends Infer<typeof TOOLS_CHANGE> {}
export const TOOLS_CHANGE = {
  object: {
    /** In the order in which they stand behind all others from now on; in the place of one of that name, if there was one. */
    came: { listOf: OFFERED_TOOL },
    went: { listOf: OFFERED_TOOL },
  },
} as const satisfies Shape;

/** What a reply used, and what that cost in USD where its model has prices. */
export interface PricedUsage extends Usage {
  readonly cost?: number;
}
export const PRICED_USAGE: ShapeAs<PricedUsage> = {
  like: { object: { cost: { optional: { type: 'number', says: 'In USD.' } } }, and: USAGE },
};

/**
 * What several replies used. The optional counts are of the models that told them, and `cost`, in USD, of those that have
 * prices; absent when none has.
 */
export type Totals = { -readonly [Count in keyof PricedUsage]: PricedUsage[Count] };

/** The limits that may not allow a model call. */
type BudgetLimit = Infer<typeof BUDGET_LIMIT>;
export const BUDGET_LIMIT = { oneOf: ['tokens', 'cost'] } as const satisfies Shape;

/** Why a loop may not go on. */
export interface Refusal {
  readonly limit: BudgetLimit;
  readonly most: number;
}
