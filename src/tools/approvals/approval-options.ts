import { checkTime } from '../check-time.ts';
import type { DecisionRequest } from '../tool.ts';

/** Who decides, for how long, and what counts when nobody does. */
export type ApprovalOptions = Pick<DecisionRequest, 'by' | 'expires' | 'onExpiry'>;

/** The same options. @throws ToolDefinitionError when `expires` is not more than 0. */
export function checkApprovalOptions<Options extends ApprovalOptions>(
  tool: string,
  options: Options,
): Options {
  const { expires } = options;
  if (expires !== undefined) checkTime(tool, 'expires', expires, Number.MAX_SAFE_INTEGER);
  return options;
}
