import type { EventOf } from '../journal/events.ts';
import type { OfferedTool, RequestHashes, ToolsChange } from '../journal/reply-data.ts';
import type { Message } from '../journal/state.ts';
import type { ToolDefinition } from '../model/chat-model.ts';
import { memoize } from '../tool/async.ts';
import { listDistinctTools } from '../tool/decorate.ts';
import { hash32 } from '../tool/json.ts';
import type { AnyTool, LoopView } from '../tool/tool.ts';
import { getPrincipal, type Loop, toLoopFields } from './loop.ts';
import { toHistory } from './shown-history.ts';

/** The tools that a model can call. */
export interface Offer {
  /** A `Map`, never an object, since the names come from a model. */
  readonly byName: ReadonlyMap<string, AnyTool>;
  /**
   * The definitions for the model. Their order changes as little as possible, so that the provider's prompt
   * cache stays valid.
   */
  readonly definitions: readonly ToolDefinition[];
  /** The same tools by hash. */
  readonly offered: readonly OfferedTool[];
  /** The hash of all tools, independent of their order in the loop. */
  readonly hash: string;
}

/** Returns the tools that the loop's model is offered at a moment. Computed from the state alone. */
export function offerTools(loop: Loop, moment: Moment): Offer {
  const { strategies, tools } = loop.spec;
  const offer = toOffer(
    strategies.length === 0 ? tools : applyStrategies(loop, createLoopView(loop, moment)),
  );
  const { list } = loop.frame.offered;
  return list ? sortOffer(offer, list) : offer;
}

/** Returns the loop's tools after its strategies, in their order. Two tools can have the same name. */
export const applyStrategies = ({ spec }: Pick<Loop, 'spec'>, view: LoopView): readonly AnyTool[] =>
  spec.strategies.reduce((offered, strategy) => strategy.offer(offered, view), spec.tools);

/**
 * Sorts, indexes and hashes a list, and caches the offer for it. If several tools have one name, the first is
 * offered.
 */
const toOffer = memoize((tools: readonly AnyTool[]): Offer => {
  const sorted = listDistinctTools(tools);
  const shown = sorted.map(toShownTool);
  return {
    byName: new Map(sorted.map((tool) => [tool.name, tool])),
    definitions: shown.map(({ definition }) => definition),
    offered: shown.map(({ offered }) => offered),
    hash: hashText(shown.map(({ offered }) => offered.hash).join()),
  };
});

/** Returns the definition of a tool for a model, and its hash. Cached, since tools are never mutated. */
export const toShownTool = memoize((tool: AnyTool) => {
  const definition = toDefinition(tool);
  return { definition, offered: { name: tool.name, hash: hashText(JSON.stringify(definition)) } };
});

/** Returns a short hash that distinguishes a text from others. */
export const hashText = (text: string): string => hash32(text).toString(36);

/** Sorts an offer into the order that its loop has already used. New tools come last, by name. */
function sortOffer(offer: Offer, list: readonly OfferedTool[]): Offer {
  const known = sortedOffers.get(offer);
  if (known?.list === list) return known.offer;
  const places = new Map(list.map(({ name }, at) => [name, at]));
  const getPlace = ({ name }: { readonly name: string }): number => places.get(name) ?? list.length;
  const sortTools = <T extends { readonly name: string }>(tools: readonly T[]): readonly T[] =>
    tools.toSorted((a, b) => getPlace(a) - getPlace(b));
  const made = { ...offer, definitions: sortTools(offer.definitions), offered: sortTools(offer.offered) };
  sortedOffers.set(offer, { list, offer: made });
  return made;
}

/** Caches the last order of each offer, so that an unchanged list is not sorted again. */
const sortedOffers = new WeakMap<Offer, { readonly list: readonly OfferedTool[]; readonly offer: Offer }>();

export const toDefinition = ({ name, description, inputSchema, providerTool }: AnyTool): ToolDefinition => ({
  name,
  description,
  inputSchema,
  ...(providerTool && { providerTool }),
});

/** The moment to look at: now, when the model made its last reply, or when it was asked for it. */
type Moment = 'now' | 'last-reply' | 'asked';

/**
 * Returns the view of a loop for its strategies. While calls run, the view is that of the reply that made
 * them, so that another invocation that finishes the batch offers the same tools. `recall`: replaces the
 * default, to add facts that a call has recorded.
 */
export function createLoopView(loop: Loop, moment: Moment, recall?: LoopView['recall']): LoopView {
  const { spec, frame } = loop;
  const { state } = loop.journal;
  const isNow = moment === 'now';
  const memories = isNow ? state.memories : frame.seen.memories;
  return {
    session: loop.session,
    agent: loop.agent,
    turn: loop.turn,
    turnStartedAt: loop.startedAt,
    principal: getPrincipal(loop),
    frame: frame.id,
    path: frame.path,
    // At the moment of a reply's calls, the count includes that reply.
    iterations: moment === 'asked' ? Math.max(0, frame.iterations - 1) : frame.iterations,
    tools: spec.tools,
    context: spec.context,
    log: loop.log,
    get blackboard() {
      return frame.blackboard.slice(0, isNow ? undefined : frame.seen.entries);
    },
    recall:
      recall ?? ((memory, path = frame.path) => loop.memories.of(memory).valueIn(memories, memory, path)),
    made: (key, make) => {
      const known = loop.madeTools.get(key);
      if (known) return known;
      const made = make();
      loop.madeTools.set(key, made);
      return made;
    },
    history: () => toHistory(isNow ? frame.messages : getMessagesBeforeReply(frame.messages)),
  };
}

/** Returns the messages that the model was shown for its last reply. Later messages are omitted. */
const getMessagesBeforeReply = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(
    0,
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'assistant'),
    ),
  );

/**
 * Returns how the tools of the next request differ from those of the previous one. Returns `undefined` if
 * they do not, or if this is the first request.
 */
export function toToolsChangedEvent(loop: Loop, offer: Offer): EventOf<'tools-changed'> | undefined {
  const { asked, list } = loop.frame.offered;
  if (!asked) return undefined;
  const now = offer.offered;
  if (list) {
    const change = diffTools(list, now);
    return (
      change && { type: 'tools-changed', ...toLoopFields(loop), ...change, cause: getCause(loop, asked) }
    );
  }
  if (asked.tools === offer.hash) return undefined;
  const cause = getCause(loop, asked);
  const event = { type: 'tools-changed', ...toLoopFields(loop), cause } as const;
  const before = offerTools(loop, 'asked');
  // Another version of the code made that offer, so its tools are not known.
  if (before.hash !== asked.tools) return { ...event, all: now };
  const change = diffTools(before.offered, now);
  return change && { ...event, ...change, all: mergeInOrder(before.offered, now) };
}

function diffTools(before: readonly OfferedTool[], now: readonly OfferedTool[]): ToolsChange | undefined {
  const [was, is] = [new Set(before.map(getToolKey)), new Set(now.map(getToolKey))];
  const came = now.filter((tool) => !was.has(getToolKey(tool)));
  const went = before.filter((tool) => !is.has(getToolKey(tool)));
  return came.length + went.length === 0 ? undefined : { came, went };
}

/** Returns the current tools: first the earlier ones in their old order, then the new ones. */
function mergeInOrder(before: readonly OfferedTool[], now: readonly OfferedTool[]): readonly OfferedTool[] {
  const is = new Map(now.map((tool) => [tool.name, tool]));
  const was = new Set(before.map(({ name }) => name));
  return [...before.flatMap(({ name }) => is.get(name) ?? []), ...now.filter(({ name }) => !was.has(name))];
}

function getCause(loop: Loop, asked: RequestHashes): EventOf<'tools-changed'>['cause'] {
  if (loop.frame.iterations === 0) return 'turn';
  return offerTools(loop, 'asked').hash === asked.tools ? 'session' : 'deploy';
}

const getToolKey = ({ name, hash }: OfferedTool): string => `${name}:${hash}`;
