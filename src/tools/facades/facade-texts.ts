import { shorten } from '../json-text.ts';
import { paragraphs } from '../paragraphs.ts';
import type { AnyTool } from '../tool.ts';
import { originOf } from './brought.ts';

/** Characters of a description that a listing shows. */
const MAX_LINE = 200;

/** What the model reads when a facade opens: which tools there are now, and when to use which (UNF-09). */
export function openedText(tools: readonly AnyTool[], notes: string | undefined): string {
  const names = tools.map(({ name }) => name).join(', ');
  const preamble =
    `Tools now available: ${names}. You MUST call one of these tools to complete the user's request. ` +
    'Do NOT respond with text — call a tool.';
  return paragraphs(preamble, tools.flatMap(renamed).join('\n'), notes);
}

/** What the model reads when it calls a facade that is open (UNF-12). */
export const listingText = (facade: string, tools: readonly AnyTool[], notes: string | undefined): string =>
  paragraphs(`'${facade}' is open already. Call one of its tools:\n${listed(tools)}`, notes);

/** The tools, one line each. */
export const listed = (tools: readonly AnyTool[]): string =>
  tools.map(({ name, description }) => `- ${name}: ${oneLine(description)}`).join('\n');

const oneLine = (text: string): string => shorten(text.replaceAll(/\s+/g, ' ').trim(), MAX_LINE);

/** Why a tool is not called what its description may call it (UNF-31). */
function renamed(tool: AnyTool): string[] {
  const own = originOf(tool)?.name;
  if (own === undefined || own === tool.name) return [];
  return [`'${tool.name}' is the tool '${own}' of this list; another tool had the name '${own}' already.`];
}
