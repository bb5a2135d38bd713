/** Checks tool choices. Runs in development only: other files reach it through `literals.ts`. */
import { shorten } from './json.ts';

/** The parts of a tool that the check reads. */
export interface NamedTool {
  readonly name: string;
  readonly inner?: readonly NamedTool[] | undefined;
}

export type Choice = 'auto' | 'required' | 'none' | { readonly tool: string } | undefined;

/**
 * Returns the valid form of the first choice that these tools can never satisfy, or `undefined` if they can
 * satisfy all.
 */
export function findChoiceProblem(
  choices: readonly Choice[],
  tools: readonly NamedTool[],
): string | undefined {
  for (const choice of choices) {
    if (tools.length === 0 && (choice === 'required' || typeof choice === 'object'))
      return 'it only together with tools';
    if (typeof choice === 'object' && !isAmong(tools, choice.tool))
      return `one of its tools: ${formatNames(tools)}`;
  }
  return undefined;
}

/** Returns whether a tool is among these or inside them, since an unfolding tool offers its inner tools. */
const isAmong = (tools: readonly NamedTool[], name: string): boolean =>
  collectNames(tools, new Set()).has(name);

function collectNames(tools: readonly NamedTool[], names: Set<string>): ReadonlySet<string> {
  for (const { name, inner = [] } of tools) {
    if (names.has(name)) continue;
    names.add(name);
    collectNames(inner, names);
  }
  return names;
}

/** The maximum number of tools named in a message. */
const MAX_NAMES = 20;

const formatNames = (tools: readonly NamedTool[]): string =>
  tools
    .slice(0, MAX_NAMES)
    .map(({ name }) => `'${shorten(name, 64)}'`)
    .join(', ') + (tools.length > MAX_NAMES ? ` and ${tools.length - MAX_NAMES} more` : '');
