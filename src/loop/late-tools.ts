import type { EventOf } from '../journal/events.ts';
import type { AskedWith, OfferedTool, ToolsChange } from '../journal/reply-data.ts';
import type { ModelMessage, ModelRequest, ToolDefinition, ToolsTold } from '../model/chat-model.ts';
import { toolsBefore } from '../model/tools-before.ts';
import type { AnyTool } from '../tool/tool.ts';
import { inLoop, type Loop } from './loop.ts';
import { fingerprint, type Offer, offerTools, shownAs } from './offer-tools.ts';
import { withoutBytes } from './sent-files.ts';

/**
 * Answers how the tools of the next request differ from those of the request before it; nothing is said of a first request.
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

/**
 * Finds the definitions of all tools that came and went in a conversation, by the change as it is journaled. Where one is not
 * found, that change and all before it are not told: what remains begins with the tools that were there after it. For a model that
 * `tellsToolsChanges`.
 */
export function toldChanges(loop: Loop, offer: Offer): ReadonlyMap<unknown, ToolsTold> {
  const changes = loop.frame.messages.flatMap(({ toolsChange }) => toolsChange ?? []);
  const { change: pending } = loop.frame.offered;
  const told = new Map<unknown, ToolsTold>();
  const known = catalogue(loop, offer);
  // A name stands for what it was at that point: a tool that was replaced is found by its hash.
  for (const change of [...changes, ...(pending ? [pending] : [])].toReversed()) {
    const came = definitionsOf(change.came, known);
    const went = definitionsOf(change.went, known);
    if (!came || !went) break;
    told.set(change, { came, went });
  }
  return told;
}

const keyOf = ({ name, hash }: OfferedTool): string => `${name}:${hash}`;

function definitionsOf(
  tools: readonly OfferedTool[],
  known: ReadonlyMap<string, ToolDefinition>,
): readonly ToolDefinition[] | undefined {
  const found = tools.flatMap((tool) => known.get(keyOf(tool)) ?? []);
  return found.length === tools.length ? found : undefined;
}

/** Every definition that the loop knows: of what it offers, of what it is declared with, and of what is inside of that. */
function catalogue(loop: Loop, offer: Offer): ReadonlyMap<string, ToolDefinition> {
  const known = new Map<string, ToolDefinition>();
  const keep = (tool: AnyTool): void => {
    const { definition, offered } = shownAs(tool);
    known.set(keyOf(offered), definition);
  };
  const add = (tool: AnyTool): void => {
    if (known.has(keyOf(shownAs(tool).offered))) return;
    keep(tool);
    for (const { mayBecome } of loop.spec.strategies)
      for (const other of mayBecome?.(tool) ?? []) keep(other);
    for (const inner of tool.inner ?? []) add(inner);
  };
  for (const tool of loop.spec.tools) add(tool);
  for (const tool of offer.byName.values()) add(tool);
  return known;
}

function withoutMark(this: unknown, key: string, value: unknown): unknown {
  return key === 'movedPrefix' ? undefined : withoutBytes.call(this, key, value);
}

/**
 * Marks the replies that their model has signed together with another prefix than the one that they stand behind now. Answers
 * the messages, and the hash of all of them, under which the next reply is signed.
 */
export function withPrefixes({ messages, tools }: ModelRequest): {
  readonly messages: readonly ModelMessage[];
  readonly prefix: string;
} {
  let prefix = fingerprint(JSON.stringify(toolsBefore(messages, tools)));
  const marked = messages.map((message): ModelMessage => {
    const before = prefix;
    prefix = fingerprint(prefix + JSON.stringify(message, withoutMark));
    const isMoved = message.role === 'assistant' && message.parts && message.prefix !== before;
    return isMoved ? { ...message, movedPrefix: true } : message;
  });
  return { messages: marked, prefix };
}
