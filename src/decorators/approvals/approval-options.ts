import { checkTime, checkWord } from '../../tool/check-definition.ts';
import type { DecisionRequest } from '../../tool/decision.ts';

/** Who decides, for how long, and what counts when nobody does. */
export type ApprovalOptions = Pick<DecisionRequest, 'by' | 'expires' | 'onExpiry'>;

/** What may count as decided when nobody does: nobody can edit then. */
export const ON_EXPIRY = ['approve', 'reject', 'exit'] as const;

/** The same options. @throws ToolDefinitionError when `expires` is not more than 0, or `onExpiry` not one of `words`. */
export function checkApprovalOptions<Options extends ApprovalOptions>(
  tool: string,
  options: Options,
  words: readonly string[] = ON_EXPIRY,
): Options {
  checkTime(tool, 'expires', options.expires);
  checkWord(tool, 'onExpiry', options.onExpiry, words);
  return options;
}
