import type { EventOf } from './events.ts';
import type { OfferedTool, ToolsChange } from './reply-data.ts';
import type { Fold, OfferHistory } from './state.ts';

/** Takes what has changed to where it stands in the conversation from now on. */
export function taken(offered: OfferHistory): { readonly toolsChange?: ToolsChange } {
  const { change: toolsChange } = offered;
  offered.change = undefined;
  return toolsChange ? { toolsChange } : {};
}

/** Several changes before one reply are one. */
export function foldToolsChanged(
  offered: OfferHistory,
  { came = [], went = [], all }: EventOf<'tools-changed'>,
): void {
  offered.list = all ?? changed(offered.list ?? [], { came, went });
  const { change } = offered;
  const gone = new Set([...came, ...went].map(({ name }) => name));
  const back = new Set(change?.came.map(({ name }) => name));
  const allCame = [...(change?.came.filter(({ name }) => !gone.has(name)) ?? []), ...came];
  // What had come since the last reply was never told of.
  const allWent = [...(change?.went ?? []), ...went.filter(({ name }) => !back.has(name))];
  const merged = { came: without(allCame, allWent), went: without(allWent, allCame) };
  offered.change = merged.came.length + merged.went.length > 0 ? merged : undefined;
}

/** Notes for the answer of a turn which tools came and went in its own loop. One that was only replaced did neither. */
export function foldTurnTools({ turn: { tools } }: Fold, event: EventOf<'tools-changed'>): void {
  // What another turn was offered did not come late in this one.
  if (event.frame !== undefined || event.cause === 'turn') return;
  const came = (event.came ?? []).map(({ name }) => name);
  const went = (event.went ?? []).map(({ name }) => name);
  tools.late = [...new Set([...tools.late, ...came.filter((name) => !went.includes(name))])];
  tools.gone = [...new Set([...tools.gone, ...went])].filter((name) => !came.includes(name));
}

/** What is back as it was has not changed. */
const without = (tools: readonly OfferedTool[], others: readonly OfferedTool[]): readonly OfferedTool[] =>
  tools.filter(({ name, hash }) => !others.some((other) => other.name === name && other.hash === hash));

/** A tool that came in the place of one of its name keeps that place; others stand behind. */
function changed(list: readonly OfferedTool[], { came, went }: ToolsChange): readonly OfferedTool[] {
  const newOnes = new Map(came.map((tool) => [tool.name, tool]));
  const gone = new Set(went.map(({ name }) => name));
  const there = new Set(list.map(({ name }) => name));
  return [
    ...list.flatMap((tool) => newOnes.get(tool.name) ?? (gone.has(tool.name) ? [] : tool)),
    ...came.filter(({ name }) => !there.has(name)),
  ];
}
