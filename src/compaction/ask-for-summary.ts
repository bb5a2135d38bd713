import type { PricedUsage } from '../journal/usage.ts';
import type { ModelReply, ModelRequest } from '../model/chat-model.ts';
import type { Loop } from '../tool-loop/loop.ts';
import { priced } from '../tool-loop/replied.ts';
import { OutOfBudget, reserveSpare } from '../tool-loop/reserve.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import type { SummarySettings } from './summarised.ts';
import { transcript } from './transcript.ts';

/** A summary, and what its model used. */
export interface Summary {
  readonly text: string;
  /** Of its model, as that says it; absent when a function wrote it. */
  readonly finish?: string;
  readonly usage?: PricedUsage | undefined;
}

/** How much more than the bound a model is given to read: a single turn may have gone far beyond it. */
const READ_OVER = 2;
/** Characters of a token, as conversations are measured. */
const CHARACTERS = 4;

/**
 * Has the loop's model summarise messages, in one call without tools, which is held back under the limits around the loop
 * as any other. `undefined` when they leave no room for it.
 *
 * @throws ModelError when there is no reply; Interrupted when the wait for it was cut short; the reason of `signal`.
 */
export async function askForSummary(
  loop: Loop,
  { messages, signal, instructions, overTokens }: SummaryRequest,
): Promise<Summary | undefined> {
  const request: ModelRequest = {
    messages: [
      { role: 'system', text: instructions },
      { role: 'user', text: transcript(messages, READ_OVER * CHARACTERS * overTokens) },
    ],
    tools: [],
  };
  try {
    const reply = await replyTo(loop, request, signal);
    return reply && toSummary(loop, reply);
  } finally {
    loop.reservations.release(loop.frame.id);
  }
}

/** What is to be summarised, and until when. */
export interface SummaryRequest extends Pick<SummarySettings, 'instructions' | 'overTokens'> {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

async function replyTo(
  loop: Loop,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply | undefined> {
  const allowed = await reserveSpare(loop, request);
  if (!allowed) return undefined;
  // Every attempt of an adapter is held back by itself, under a limit.
  const again = async (): Promise<void> => {
    loop.holder.count(1);
    if (!(await reserveSpare(loop, request))) throw new OutOfBudget();
  };
  try {
    return await untilAborted(signal, loop.spec.model.ask(allowed, { signal, again }));
  } catch (failure) {
    if (failure instanceof OutOfBudget) return undefined;
    throw failure;
  }
}

const toSummary = (loop: Loop, { text, finish, usage }: ModelReply): Summary => ({
  text,
  finish,
  usage: usage && priced(loop.spec, usage),
});
