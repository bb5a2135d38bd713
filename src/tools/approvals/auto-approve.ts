import type { ReviewHandler } from './review.ts';

/** A reviewer that approves everything at once. Nothing else ever approves by itself (AEA-01). */
export const autoApprove = (): ReviewHandler => () => ({ decision: 'approve' });
