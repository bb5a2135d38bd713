import { SessionError } from '../../worker/problem.ts';

/**
 * Returns the error of a fork in words for people, who have a page or a client of another protocol: it names the tools that had effects. Any
 * other failure is returned as it is.
 */
export function forPeople(failure: unknown): unknown {
  if (!(failure instanceof SessionError) || failure.type !== 'would-repeat-effects') return failure;
  const { type, worded: _, ...rest } = failure;
  const { calls = [] }: { readonly calls?: readonly { readonly tool: string }[] } = rest.more;
  // The tools have the names that the app gave them.
  const tools = [...new Set(calls.map(({ tool }) => `'${tool}'`))].join(', ');
  return new SessionError(
    type,
    `What was done since then would be forgotten, and could be done twice: ${tools}. Send a new message in its place.`,
    rest,
  );
}
