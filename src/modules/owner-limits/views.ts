/** The public form of an owner's limits. */
import { type Infer, NUMBER, OPTIONAL_TEXT, type Shape, TEXT } from '../../tool/shape.ts';

/** A limit and its usage. */
export interface LimitReport extends Infer<typeof LIMIT_REPORT_SHAPE> {}
export const LIMIT_REPORT_SHAPE = {
  object: {
    /** `turns`, `tokens` and `cost` are per day. `openSessions` and `running` are current counts. */
    limit: { oneOf: ['turns', 'tokens', 'cost', 'openSessions', 'running'] },
    most: NUMBER,
    /** The amounts that open turns have drawn count as used until they end. */
    used: NUMBER,
    /** The time at which a daily limit resets, in ISO 8601. */
    resetAt: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** The limits of an owner. */
export interface OwnerLimitsReport extends Infer<typeof OWNER_LIMITS_SHAPE> {}
export const OWNER_LIMITS_SHAPE = {
  object: {
    /** The owner: `id:` or `tenant:`, followed by the name. */
    owner: TEXT,
    limits: { listOf: LIMIT_REPORT_SHAPE },
  },
} as const satisfies Shape;
