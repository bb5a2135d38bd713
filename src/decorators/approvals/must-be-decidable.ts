import type { CallScope } from '../../tool/call.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';

/** @throws ToolConfigurationError when the call runs outside of a session, where nobody is ever asked (AEA-04). */
export function mustBeDecidable({ tool, inSession }: CallScope, what: string): void {
  if (inSession) return;
  throw new ToolConfigurationError(
    `Tool '${tool}' requires ${what} but no ReviewHandler is configured. ` +
      'Run it in a session, where somebody can decide, or review it with withReview.',
  );
}
