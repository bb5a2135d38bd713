import type { EventOf } from '../journal/events.ts';
import type { AskedWith, OfferedTool, ToolsChange } from '../journal/reply-data.ts';
import { inLoop, type Loop } from './loop.ts';
import { type Offer, offerTools } from './offer-tools.ts';

/**
 * Returns how the tools of the next request differ from those of the request before it, or `undefined` if they do not, or if it is the first.
 */
export function toolsChanged(loop: Loop, offer: Offer): EventOf<'tools-changed'> | undefined {
  const { asked, list } = loop.frame.offered;
  if (!asked) return undefined;
  const now = offer.offered;
  if (list) {
    const change = changeBetween(list, now);
    return change && { type: 'tools-changed', ...inLoop(loop), ...change, cause: causeOf(loop, asked) };
  }
  if (asked.tools === offer.hash) return undefined;
  const cause = causeOf(loop, asked);
  const event = { type: 'tools-changed', ...inLoop(loop), cause } as const;
  const before = offerTools(loop, 'asked');
  // What other code has offered is not known.
  if (before.hash !== asked.tools) return { ...event, all: now };
  const change = changeBetween(before.offered, now);
  return change && { ...event, ...change, all: inPlaceOf(before.offered, now) };
}

function changeBetween(before: readonly OfferedTool[], now: readonly OfferedTool[]): ToolsChange | undefined {
  const [was, is] = [new Set(before.map(keyOf)), new Set(now.map(keyOf))];
  const came = now.filter((tool) => !was.has(keyOf(tool)));
  const went = before.filter((tool) => !is.has(keyOf(tool)));
  return came.length + went.length === 0 ? undefined : { came, went };
}

/** The tools of now: first those that were there, in their order, and behind them the others. */
function inPlaceOf(before: readonly OfferedTool[], now: readonly OfferedTool[]): readonly OfferedTool[] {
  const is = new Map(now.map((tool) => [tool.name, tool]));
  const was = new Set(before.map(({ name }) => name));
  return [...before.flatMap(({ name }) => is.get(name) ?? []), ...now.filter(({ name }) => !was.has(name))];
}

function causeOf(loop: Loop, asked: AskedWith): EventOf<'tools-changed'>['cause'] {
  if (loop.frame.iterations === 0) return 'turn';
  return offerTools(loop, 'asked').hash === asked.tools ? 'session' : 'deploy';
}

const keyOf = ({ name, hash }: OfferedTool): string => `${name}:${hash}`;
