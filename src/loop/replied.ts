import type { JournaledCall, SessionEvent } from '../journal/events.ts';
import type { PricedUsage } from '../journal/usage.ts';
import type { ModelReply } from '../model/chat-model.ts';
import { costOf, type Usage } from '../model/prices.ts';
import { inLoop, type Loop, type LoopSpec } from './loop.ts';
import { type Offer, routed } from './offer-tools.ts';
import { isPlanned } from './planned-model.ts';
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
  const { turn, journal, spec } = loop;
  const { text, finish, usage } = reply;
  return {
    type: 'model-replied',
    ...inLoop(loop),
    model: spec.model.name,
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
    ...(usage && { usage: priced(spec, usage) }),
    ...(isPlanned(spec.model) && { planned: true }),
    ...(last && { last }),
    ...(unseen > 0 && { unseen }),
  };
}

/** What a reply used, with what that costs where the loop's model has prices. */
export const priced = (
  { model: { prices } }: Pick<LoopSpec, 'model'>,
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
function nameOf({ spec: { policies } }: Loop, name: string, { byName }: Offer): string {
  if (!policies.unknownTools.autoExecute || byName.has(name)) return name;
  return sameName(name, byName.keys()) ?? name;
}
