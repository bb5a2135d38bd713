import type { EventOf } from '../journal/events.ts';
import type { AskedWith, OfferedTool, ToolsChange } from '../journal/reply-data.ts';
import type { Message } from '../journal/state.ts';
import type { ToolDefinition } from '../model/chat-model.ts';
import { memoized } from '../tool/async.ts';
import { distinctTools } from '../tool/decorate.ts';
import { hash32 } from '../tool/json.ts';
import type { AnyTool, LoopView } from '../tool/tool.ts';
import { inLoop, type Loop, principalOf } from './loop.ts';
import { toHistory } from './shown-history.ts';

/** The tools that a model may call. */
export interface Offer {
  /** Looked up by names from a model: a `Map`, never an object. */
  readonly byName: ReadonlyMap<string, AnyTool>;
  /** As the model is shown them, in an order that stays as long as it can, so that a provider's prompt cache holds. */
  readonly definitions: readonly ToolDefinition[];
  /** The same tools by hashes. */
  readonly offered: readonly OfferedTool[];
  /** Of all of them, in any order. */
  readonly hash: string;
}

/** Answers what the loop's model is offered now, or was when it was asked for its last reply; made from the state alone. */
export function offerTools(loop: Loop, moment: Moment): Offer {
  const { strategies, tools } = loop.spec;
  const offer = toOffer(strategies.length === 0 ? tools : offeredIn(loop, loopView(loop, moment)));
  const { list } = loop.frame.offered;
  return list ? inOrder(offer, list) : offer;
}

/** Answers what the strategies of a loop make of its tools, in their order; two may have one name. */
export const offeredIn = ({ spec }: Pick<Loop, 'spec'>, view: LoopView): readonly AnyTool[] =>
  spec.strategies.reduce((offered, strategy) => strategy.offer(offered, view), spec.tools);

/** Sorts, indexes and hashes a list once; an unchanged list costs nothing. Of tools of one name the first is offered. */
const toOffer = memoized((tools: readonly AnyTool[]): Offer => {
  const sorted = distinctTools(tools);
  const shown = sorted.map(shownAs);
  return {
    byName: new Map(sorted.map((tool) => [tool.name, tool])),
    definitions: shown.map(({ definition }) => definition),
    offered: shown.map(({ offered }) => offered),
    hash: fingerprint(shown.map(({ offered }) => offered.hash).join()),
  };
});

/** What a model is shown of a tool. A tool is never changed: another one is made of it. */
export const shownAs = memoized((tool: AnyTool) => {
  const definition = toDefinition(tool);
  return { definition, offered: { name: tool.name, hash: fingerprint(JSON.stringify(definition)) } };
});

/** Tells a text from others, in few characters. */
export const fingerprint = (text: string): string => hash32(text).toString(36);

/** Puts an offer into the order that its loop has settled on; tools that are not in it stand behind, by name. */
function inOrder(offer: Offer, list: readonly OfferedTool[]): Offer {
  const known = ordered.get(offer);
  if (known?.list === list) return known.offer;
  const places = new Map(list.map(({ name }, at) => [name, at]));
  const placeOf = ({ name }: { readonly name: string }): number => places.get(name) ?? list.length;
  const sorted = <T extends { readonly name: string }>(tools: readonly T[]): readonly T[] =>
    tools.toSorted((a, b) => placeOf(a) - placeOf(b));
  const made = { ...offer, definitions: sorted(offer.definitions), offered: sorted(offer.offered) };
  ordered.set(offer, { list, offer: made });
  return made;
}

/** The order that an offer was put into last: an unchanged list costs nothing. */
const ordered = new WeakMap<Offer, { readonly list: readonly OfferedTool[]; readonly offer: Offer }>();

/** The tool as a model is shown it. */
export const toDefinition = ({ name, description, inputSchema, providerTool }: AnyTool): ToolDefinition => ({
  name,
  description,
  inputSchema,
  ...(providerTool && { providerTool }),
});

/** The moment that is looked at: this one, the one at which the model made its last reply, or was asked for it. */
type Moment = 'now' | 'last-reply' | 'asked';

/**
 * A loop as its strategies see it. While calls run, it is looked at as of the reply that asked for them, so that a batch
 * which another invocation finishes is offered the same tools, whatever has ended in the meantime. `recall`: what a call knows beside that.
 */
export function loopView(loop: Loop, moment: Moment, recall?: LoopView['recall']): LoopView {
  const { spec, frame } = loop;
  const { state } = loop.journal;
  const isNow = moment === 'now';
  const memories = isNow ? state.memories : frame.seen.memories;
  return {
    session: loop.session,
    agent: loop.agent,
    turn: loop.turn,
    turnStartedAt: loop.startedAt,
    principal: principalOf(loop),
    frame: frame.id,
    path: frame.path,
    // Calls of a reply count it.
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
      const known = loop.made.get(key);
      if (known) return known;
      const made = make();
      loop.made.set(key, made);
      return made;
    },
    history: () => toHistory(isNow ? frame.messages : beforeReply(frame.messages)),
  };
}

/** What a model was shown for its last reply: messages may have come since. */
const beforeReply = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(
    0,
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'assistant'),
    ),
  );

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
