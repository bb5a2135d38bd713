import { setIn } from '../model/settings.ts';
import type { HistoryCall, TurnPrincipal } from '../tool/call.ts';
import { CALL_LIMIT, type CallLimit, type Limits } from '../tool/frame.ts';
import { literals } from '../tool/literals.ts';
import { type ShapeAs, WHOLE } from '../tool/shape.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import { RESULT_CHARACTERS } from '../tool/tool-result.ts';
import { type ExceptionProcessor, tellException } from './exception-processor.ts';

/** What a model that calls a tool which does not exist is told, and how often. */
export interface UnknownToolPolicy {
  /** `feedback`: the model reads which tools there are. `immediate`: the loop fails with the first such call. */
  readonly mode: 'feedback' | 'immediate';
  /** With `feedback`: such calls in a row after which one more fails the loop. */
  readonly retries: number;
  /** Runs the one tool whose name differs in case and punctuation only. */
  readonly autoExecute: boolean;
  /** Words in common over all words, from 0 to 1, from which a name is suggested. */
  readonly similarity: number;
  /** Added when one name holds the other whole. */
  readonly containment: number;
  /** Names suggested at most. */
  readonly suggestions: number;
}

/** What becomes of a reply without words and calls. */
export interface BlankReplyPolicy {
  /** Blank replies in a row after which the model is asked once more; each costs an iteration. 0: never. */
  readonly retries: number;
  /** How one more ends the loop: as failed, or as completed with nothing for its answer. */
  readonly end: 'failed' | 'completed';
}

/**
 * Whether a call may run now, for whoever asked for the turn. Asked before the tool is, and again when the call begins anew. One that throws
 * refuses, and so does one that gives no answer within 30 seconds.
 */
export type Eligible = (
  call: HistoryCall,
  context: ToolCallContext,
  principal: TurnPrincipal,
) => boolean | Promise<boolean>;

/**
 * Whose messages steer a turn (`?whenBusy=steer`, and webhooks that steer): those of the person who asked for it, by id and tenant, or those of
 * anyone who may send to its session. Any other message waits in line, as a turn of its sender's own.
 */
export type Steering = 'requester' | 'anyone';

/** How a loop decides where there is a choice. Nested loops have those of the loop around them. */
export interface LoopPolicies {
  /**
   * Whether the loop ends with its results when `all` calls of a reply returned directly, or when `any` did; then with
   * the results of those. One that failed never counts.
   */
  readonly returnDirect: 'all' | 'any';
  readonly unknownTools: UnknownToolPolicy;
  readonly blankReplies: BlankReplyPolicy;
  /** Absent: every call may run that a limit allows. */
  readonly isEligible?: Eligible | undefined;
  /** What the model is told of a tool that threw. */
  readonly exceptions: ExceptionProcessor;
  /** The most characters of one result that the model is shown. The journal, and whoever is answered directly, have all of it. */
  readonly resultCharacters: number;
  readonly steering: Steering;
  /**
   * Whether the tools of a turn whose sender gave no `loopId` read one in their context. `stamped`: they read a fresh one, so that a thing that
   * happens once a loop happens once a turn. `as-sent`: they read none.
   */
  readonly loopIds: 'stamped' | 'as-sent';
}

/** What an agent declares of its policies; the rest is as by default. */
export interface Policies {
  readonly returnDirect?: 'all' | 'any' | undefined;
  readonly unknownTools?: Declared<UnknownToolPolicy> | undefined;
  readonly blankReplies?: Declared<BlankReplyPolicy> | undefined;
  readonly isEligible?: Eligible | undefined;
  readonly exceptions?: ExceptionProcessor | undefined;
  /** 65,536 unless given. */
  readonly resultCharacters?: number | undefined;
  /** Defaults to `requester`. */
  readonly steering?: Steering | undefined;
  /** Defaults to `stamped`. */
  readonly loopIds?: LoopPolicies['loopIds'] | undefined;
}

type Declared<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Forgiving, and bounded: a model that errs is told, four times in a row is a failure. */
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
  exceptions: tellException,
  resultCharacters: RESULT_CHARACTERS,
  steering: 'requester',
  loopIds: 'stamped',
};

/** The declared policies over the default ones. */
export const withPolicies = ({ unknownTools, blankReplies, ...declared }: Policies = {}): LoopPolicies => ({
  ...over(DEFAULT_POLICIES, declared),
  unknownTools: over(DEFAULT_POLICIES.unknownTools, unknownTools),
  blankReplies: over(DEFAULT_POLICIES.blankReplies, blankReplies),
});

/** Only what is declared replaces; `undefined` declares nothing. */
const over = <T extends object>(base: T, declared: Declared<T> = {}): T => ({
  ...base,
  ...setIn(declared),
});

/** The bounds of a loop. */
export interface LoopLimits extends Pick<Limits, 'tokens'> {
  readonly iterations: number;
}
export const LOOP_LIMITS: ShapeAs<LoopLimits> = {
  like: { object: { tokens: { optional: CALL_LIMIT }, iterations: WHOLE } },
};

/** The limits of an agent that declares none: generous enough for honest work, small enough to stop a runaway. */
export const DEFAULT_LIMITS: LoopLimits = { iterations: 20 };

/** The declared limits over those around them. */
export const withLimits = (limits: Limits | undefined, around: LoopLimits): LoopLimits => ({
  iterations: limits?.iterations ?? around.iterations,
  ...(limits?.tokens !== undefined && { tokens: limits.tokens }),
});

/** A limit that no loop can work with. */
interface LimitProblem {
  /** Such as `iterations`. */
  readonly path: string;
  readonly value: unknown;
  /** What a limit of this kind can be, to go on after "use ". */
  readonly use: string;
}

const COUNT = 'a positive whole number';

/** True for what can bound a number: a positive whole number. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * The first limit that there is not, or that is neither a positive whole number nor, of tokens, `unlimited`; `undefined` when there is
 * none.
 */
export function limitProblem(declaredLimits: Limits = {}): LimitProblem | undefined {
  const stranger = literals?.innerFault(declaredLimits, 'limits');
  if (stranger) return stranger;
  const declared: [string, CallLimit | undefined][] = Object.entries(declaredLimits);
  for (const [path, value] of declared) {
    if (value === undefined || isCount(value)) continue;
    if (value !== 'unlimited' || path === 'iterations') return { path, value, use: COUNT };
  }
  return undefined;
}
