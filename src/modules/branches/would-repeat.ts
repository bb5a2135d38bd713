import { SessionError } from '../../worker/problem.ts';

/**
 * Rewrites the error of a fork for people who use a page or a client of another protocol. It names the tools
 * that had effects. Returns any other failure unchanged.
 */
export function toReadableError(failure: unknown): unknown {
  if (!(failure instanceof SessionError) || failure.type !== 'would-repeat-effects') return failure;
  const { type, worded: _, ...rest } = failure;
  const { calls = [] }: { readonly calls?: readonly { readonly tool: string }[] } = rest.more;
  // The app chose the names of the tools, so they are safe to show.
  const tools = [...new Set(calls.map(({ tool }) => `'${tool}'`))].join(', ');
  return new SessionError(
    type,
    `The model would forget these calls, and could repeat them: ${tools}. Send a new message instead.`,
    rest,
  );
}
