/** What the limits of an owner are shown as. */
import { type Infer, NUMBER, OPTIONAL_TEXT, type Shape, TEXT } from '../../tool/shape.ts';

/** A limit, and how much of it is used. */
export interface LimitReport extends Infer<typeof LIMIT_REPORT> {}
export const LIMIT_REPORT = {
  object: {
    /** `turns`, `tokens` and `cost` are of a day, `openSessions` and `running` of this moment. */
    limit: { oneOf: ['turns', 'tokens', 'cost', 'openSessions', 'running'] },
    most: NUMBER,
    /** What open turns have drawn counts as used until they end. */
    used: NUMBER,
    /** When a limit of a day is reset, in ISO 8601. */
    resetAt: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** The limits of an owner. */
export interface OwnerLimitsReport extends Infer<typeof OWNER_LIMITS_REPORT> {}
export const OWNER_LIMITS_REPORT = {
  object: {
    /** `id:` or `tenant:`, and the name. */
    owner: TEXT,
    limits: { listOf: LIMIT_REPORT },
  },
} as const satisfies Shape;
