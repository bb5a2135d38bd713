import { inFrame, type JournaledCall, type SessionEvent } from '../journal/events.ts';
import type { PricedUsage } from '../journal/usage.ts';
import type { ModelReply } from '../model/chat-model.ts';
import { costOf, type Usage } from '../model/prices.ts';
import type { Loop } from './loop.ts';
import type { Offer } from './offer-tools.ts';
import { isPlanned } from './planned-model.ts';
import { routed } from './routed.ts';
import { sameName } from './tool-not-found.ts';

export type Replied = Extract<SessionEvent, { type: 'model-replied' }>;

interface Asked {
  /** Without tools. */
  readonly last: boolean;
  /** Messages that came since; none unless given. */
  readonly unseen?: number;
  readonly offered: Offer;
}

/** The event of a reply, with our ids for its calls. */
export function replied(loop: Loop, reply: ModelReply, { last, unseen = 0, offered }: Asked): Replied {
  const { turn, frame, journal } = loop;
  const { text, finish, usage } = reply;
  return {
    type: 'model-replied',
    turn,
    ...inFrame(frame),
    model: loop.model.name,
    text,
    // Some models call tools that they were not offered.
    toolCalls: (last ? [] : reply.toolCalls).map(({ id, name: called, input }, index) => {
      const name = nameOf(loop, called, offered);
      return {
        id: `${turn}.${journal.nextSeq}.${index}`,
        providerId: id,
        name,
        ...meantBy({ name, input }, offered),
        input,
      };
    }),
    finish,
    ...(usage && { usage: priced(loop, usage) }),
    ...(isPlanned(loop.model) && { planned: true }),
    ...(last && { last }),
    ...(unseen > 0 && { unseen }),
  };
}

/** What a reply used, with what that costs where the loop's model has prices. */
export const priced = (
  { model: { prices } }: Pick<Loop, 'model'>,
  { inputTokens, outputTokens }: Usage,
): PricedUsage => ({
  inputTokens,
  outputTokens,
  ...(prices && { cost: costOf(prices, { inputTokens, outputTokens }) }),
});

/** Nothing for most calls, which are meant for the tool that they name. */
function meantBy(
  { name, input }: Pick<JournaledCall, 'name' | 'input'>,
  { byName }: Offer,
): Pick<JournaledCall, 'meant'> {
  const offered = byName.get(name);
  const meant = offered && routed(offered, { input }).tool.name;
  return meant === undefined || meant === name ? {} : { meant };
}

/** The name as its tool has it, so that limits, memos and unlock conditions know the call by it too (TNF-08). */
function nameOf({ policies }: Loop, name: string, { byName }: Offer): string {
  if (!policies.unknownTools.autoExecute || byName.has(name)) return name;
  return sameName(name, byName.keys()) ?? name;
}
