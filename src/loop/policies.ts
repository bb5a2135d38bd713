import { omitUndefined } from '../model/settings.ts';
import type { HistoryCall, TurnPrincipal } from '../tool/call.ts';
import { CALL_LIMIT, type CallLimit, type Limits } from '../tool/frame.ts';
import { literals } from '../tool/literals.ts';
import { INTEGER, type ShapeAs } from '../tool/shape.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import { DEFAULT_RESULT_CHARACTERS } from '../tool/tool-result.ts';
import { describeException, type ExceptionProcessor } from './exception-processor.ts';

/** How to handle a model that calls a tool that does not exist. */
export interface UnknownToolPolicy {
  /** `feedback`: the model reads which tools exist. `immediate`: the first such call fails the loop. */
  readonly mode: 'feedback' | 'immediate';
  /** With `feedback`, the number of such calls in a row that are allowed. One more fails the loop. */
  readonly retries: number;
  /** If `true`, runs the only tool whose name differs just in case and punctuation. */
  readonly autoExecute: boolean;
  /** The minimum similarity of a suggested name: shared words divided by all words, from 0 to 1. */
  readonly similarity: number;
  /** Added to the similarity if one name contains the other. */
  readonly containment: number;
  /** The maximum number of suggested names. */
  readonly suggestions: number;
}

/** How to handle a reply without text and calls. */
export interface BlankReplyPolicy {
  /**
   * The number of blank replies in a row after which the model is asked again. Each costs an iteration. 0
   * disables retries.
   */
  readonly retries: number;
  /** How the loop ends after one more: as failed, or as completed with an empty answer. */
  readonly end: 'failed' | 'completed';
}

/**
 * Returns whether a call can run now, for the principal of the turn. Called before the tool runs, and again
 * if the call restarts. If it throws, or does not settle within 30 seconds, the call is refused.
 */
export type EligibilityCheck = (
  call: HistoryCall,
  context: ToolCallContext,
  principal: TurnPrincipal,
) => boolean | Promise<boolean>;

/**
 * Whose messages steer a turn (`?whenBusy=steer`, and webhooks that steer). `requester`: its sender, by id
 * and tenant. `anyone`: anyone who can send to its session. Other messages wait in line and start a turn of
 * their own.
 */
export type Steering = 'requester' | 'anyone';

/** The choices of a loop. Nested loops use those of the loop around them. */
export interface LoopPolicies {
  /**
   * When results end the loop: if `all` calls of a reply returned directly, or if `any` did. With `any`, the
   * answer is the direct results. A failed call never counts.
   */
  readonly returnDirect: 'all' | 'any';
  readonly unknownTools: UnknownToolPolicy;
  readonly blankReplies: BlankReplyPolicy;
  /** Absent if every call that the limits allow can run. */
  readonly isEligible?: EligibilityCheck | undefined;
  /** Returns the model's message for a tool that threw. */
  readonly exceptions: ExceptionProcessor;
  /**
   * The maximum characters of one result that the model is shown. The journal and direct answers have all of
   * it.
   */
  readonly resultCharacters: number;
  readonly steering: Steering;
  /**
   * The `loopId` that tools read in a turn whose sender did not set one. `stamped`: a fresh one, so that a
   * once-per-loop action happens once a turn. `as-sent`: no `loopId`.
   */
  readonly loopIds: 'stamped' | 'as-sent';
}

/** The policies that an agent declares. The others keep their defaults. */
export interface Policies {
  readonly returnDirect?: 'all' | 'any' | undefined;
  readonly unknownTools?: Overrides<UnknownToolPolicy> | undefined;
  readonly blankReplies?: Overrides<BlankReplyPolicy> | undefined;
  readonly isEligible?: EligibilityCheck | undefined;
  readonly exceptions?: ExceptionProcessor | undefined;
  /** Defaults to 65,536. */
  readonly resultCharacters?: number | undefined;
  /** Defaults to `requester`. */
  readonly steering?: Steering | undefined;
  /** Defaults to `stamped`. */
  readonly loopIds?: LoopPolicies['loopIds'] | undefined;
}

type Overrides<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/**
 * The default policies, forgiving but bounded: the model reads about its errors, and the fourth in a row
 * fails the loop.
 */
export const DEFAULT_POLICIES: LoopPolicies = {
  returnDirect: 'all',
  unknownTools: {
    mode: 'feedback',
    retries: 3,
    autoExecute: false,
    similarity: 0.25,
    containment: 0.2,
    suggestions: 3,
  },
  blankReplies: { retries: 1, end: 'failed' },
  exceptions: describeException,
  resultCharacters: DEFAULT_RESULT_CHARACTERS,
  steering: 'requester',
  loopIds: 'stamped',
};

/** Returns the declared policies over the default ones. */
export const withPolicies = ({ unknownTools, blankReplies, ...declared }: Policies = {}): LoopPolicies => ({
  ...withOverrides(DEFAULT_POLICIES, declared),
  unknownTools: withOverrides(DEFAULT_POLICIES.unknownTools, unknownTools),
  blankReplies: withOverrides(DEFAULT_POLICIES.blankReplies, blankReplies),
});

/** Overrides only declared policies. `undefined` does not override. */
const withOverrides = <T extends object>(base: T, declared: Overrides<T> = {}): T => ({
  ...base,
  ...omitUndefined(declared),
});

/** The limits of a loop. */
export interface LoopLimits extends Pick<Limits, 'tokens'> {
  readonly iterations: number;
}
export const LOOP_LIMITS: ShapeAs<LoopLimits> = {
  like: { object: { tokens: { optional: CALL_LIMIT }, iterations: INTEGER } },
};

/** The default limits of an agent: enough for ordinary work, and small enough to stop a runaway loop. */
export const DEFAULT_LIMITS: LoopLimits = { iterations: 20 };

/** Returns the declared limits over those of the outer loop. */
export const withLimits = (limits: Limits | undefined, around: LoopLimits): LoopLimits => ({
  iterations: limits?.iterations ?? around.iterations,
  ...(limits?.tokens !== undefined && { tokens: limits.tokens }),
});

interface LimitProblem {
  /** Its name, such as `iterations`. */
  readonly path: string;
  readonly value: unknown;
  /** The values that are allowed. Follows "Use ". */
  readonly use: string;
}

const COUNT_RULE = 'a positive whole number';

/** Returns whether the value is a positive whole number. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * Returns the first limit that does not exist, or that is not a positive whole number. `unlimited` is valid
 * except for `iterations`. Returns `undefined` if all are valid.
 */
export function findLimitProblem(declaredLimits: Limits = {}): LimitProblem | undefined {
  const stranger = literals?.innerFault(declaredLimits, 'limits');
  if (stranger) return stranger;
  const declared: [string, CallLimit | undefined][] = Object.entries(declaredLimits);
  for (const [path, value] of declared) {
    if (value === undefined || isCount(value)) continue;
    if (value !== 'unlimited' || path === 'iterations') return { path, value, use: COUNT_RULE };
  }
  return undefined;
}
