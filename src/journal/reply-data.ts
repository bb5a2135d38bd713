import { OTHER_PART, PROVIDER_DATA, type ReplyPart, type ToolCallPart } from '../model/parts.ts';
import { USAGE, type Usage } from '../model/prices.ts';
import { type Infer, OPTIONAL_TEXT, type Shape, type ShapeAs, TEXT } from '../tool/shape.ts';

/** A tool call as the model requested it. */
export interface JournaledCall extends Infer<typeof JOURNALED_CALL> {}
export const JOURNALED_CALL = {
  object: {
    /** `{turn}.{sequence of this event}.{index}`. */
    id: TEXT,
    /** The provider's id, used only in requests to the model. */
    providerId: TEXT,
    name: TEXT,
    /**
     * The tool that the call is for, if it differs from the named one. An unfolding tool can represent
     * others.
     */
    meant: OPTIONAL_TEXT,
    /** The model's own text. Schemas parse it again on every resume. */
    input: TEXT,
  },
} as const satisfies Shape;

/**
 * Returns the turn and the reply of a call id, or `undefined` if the text is not one. A client can send any
 * text.
 */
export function parseCallId(id: string): { readonly turn: string; readonly reply: number } | undefined {
  const [, turn, reply] = CALL_ID.exec(id) ?? [];
  return turn === undefined ? undefined : { turn, reply: Number(reply) };
}

const CALL_ID = /^(.+)\.(\d+)\.\d+$/s;

const OUR_CALL = {
  object: {
    type: { only: 'tool-call' },
    provider: { optional: PROVIDER_DATA },
    /** The name that the model wrote, if a policy corrected it. */
    called: OPTIONAL_TEXT,
  },
  and: JOURNALED_CALL,
} as const satisfies Shape;

/** A part of a reply. A call that we run is in its journaled form. */
export type JournaledPart =
  | Exclude<ReplyPart, ToolCallPart>
  | (ToolCallPart & { readonly ranBy: 'provider' })
  | (Infer<typeof OUR_CALL> & { readonly ranBy?: never });
export const JOURNALED_PART: ShapeAs<JournaledPart> = {
  like: { anyOf: [OTHER_PART, OUR_CALL] },
};

/** A tool as it was offered to a model. */
export interface OfferedTool extends Infer<typeof OFFERED_TOOL> {}
export const OFFERED_TOOL = {
  object: {
    name: TEXT,
    /** A hash of its name, description and schema. */
    hash: TEXT,
  },
} as const satisfies Shape;

/** Hashes of a model request. A different hash means that code or settings have changed since. */
export interface RequestHashes extends Infer<typeof REQUEST_HASHES> {}
export const REQUEST_HASHES = {
  object: {
    instructions: TEXT,
    /** A hash of the tools, independent of their order. */
    tools: TEXT,
    /** A hash of everything before the reply, if its model signs that too. */
    prefix: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** How a model took over from another one, such as by a fallback or a deploy. */
export interface TakeOver extends Infer<typeof TAKE_OVER> {}
export const TAKE_OVER = {
  object: {
    /** The model that made the previous reply. */
    from: TEXT,
    /**
     * The types of parts of that reply that this model was not shown in their original form, such as
     * `reasoning`.
     */
    unshown: { listOf: TEXT },
  },
} as const satisfies Shape;

/** The tools added and removed between two requests of a loop. A replaced tool is in both lists. */
export interface ToolsChange extends Infer<typeof TOOLS_CHANGE> {}
export const TOOLS_CHANGE = {
  object: {
    /**
     * The added tools in order. They come after all others, except that a tool of an existing name takes its
     * place.
     */
    came: { listOf: OFFERED_TOOL },
    went: { listOf: OFFERED_TOOL },
  },
} as const satisfies Shape;

/** The usage of a reply, and its cost in USD if its model has prices. */
export interface PricedUsage extends Usage {
  readonly cost?: number;
}
export const PRICED_USAGE: ShapeAs<PricedUsage> = {
  like: { object: { cost: { optional: { type: 'number', says: 'In USD.' } } }, and: USAGE },
};

/**
 * The usage of several replies. An optional count covers only the models that reported it. `cost`, in USD,
 * covers only the models with prices. Each is absent if it covers no model.
 */
export type UsageTotals = { -readonly [Count in keyof PricedUsage]: PricedUsage[Count] };

/** The limits that can refuse a model call. */
type BudgetLimit = Infer<typeof BUDGET_LIMIT>;
export const BUDGET_LIMIT = { oneOf: ['tokens', 'cost'] } as const satisfies Shape;

/** Why a loop cannot continue. */
export interface Refusal {
  readonly limit: BudgetLimit;
  readonly most: number;
}
