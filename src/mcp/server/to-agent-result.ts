import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { TurnAnswer } from '../../session/turn-answer.ts';
import type { TurnOutcome } from '../../session/turn-outcome.ts';
import { type Target, turnPath } from '../../worker/target.ts';
import { pendingViews } from '../../worker/turn-view.ts';
import { listedPending } from './listed-pending.ts';
import { textBlock } from './to-call-result.ts';

/** A call of a published agent that is answered. */
export interface AnsweredCall {
  readonly target: Target;
  /** The agent's name, as clients know it. */
  readonly name: string;
  /** The client named no session: it has to learn this one. */
  readonly isNew: boolean;
}

/** The answer to a client. A turn that waits or still runs is not an error. */
export function toAgentResult(call: AnsweredCall, outcome: TurnOutcome): CallToolResult {
  const { target } = call;
  switch (outcome.status) {
    case 'ended':
      return ended(call, outcome.answer);
    case 'suspended': {
      const pending = pendingViews(target, outcome.events);
      const { turn, text } = outcome.answer;
      const words = `The turn waits for an answer from outside, and goes on when that is there:${listedPending(pending)}`;
      return result(call, { turn, outcome: 'suspended', text, pending }, [
        text,
        words,
        whereLater(target, turn),
      ]);
    }
    case 'queued':
    case 'kept': {
      const { turn } = outcome;
      const words = 'The message was taken, and its turn goes on.';
      return result(call, { turn, outcome: 'running', text: '' }, [words, whereLater(target, turn)]);
    }
  }
}

/** A turn that met a limit has an answer, if not its best one; one that was cancelled or failed has not done what it was asked. */
function ended(
  call: AnsweredCall,
  { turn, outcome, text, object, error, signal }: TurnAnswer,
): CallToolResult {
  const view = { turn, outcome, text, ...(object !== undefined && { object }), ...(error && { error }) };
  switch (outcome) {
    case 'completed':
    case 'returned-direct':
      return result(call, view, [text]);
    case 'limit-reached':
      return result(call, view, [text, 'The agent met a limit before it was done: this is what there is.']);
    case 'cancelled': {
      const why = signal ? `The turn was ended: ${signal.reason}` : 'The turn was cancelled.';
      return { ...result(call, view, [why, text]), isError: true };
    }
    case 'failed': {
      const why = `${error?.message ?? 'The turn failed.'} The conversation is kept: send another message to go on.`;
      return { ...result(call, view, [why, text]), isError: true };
    }
  }
}

/** Words that there are, a block each: a model may be shown nothing else. */
function result(
  { target, name, isNew }: AnsweredCall,
  view: { readonly turn: string; readonly [key: string]: unknown },
  words: readonly string[],
): CallToolResult {
  const goOn = `To go on with this conversation, call '${name}' with the session '${target.session}'.`;
  const said = words.filter((text) => text !== '');
  return {
    content: [...(said.length > 0 ? said : ['']), ...(isNew ? [goOn] : [])].map(textBlock),
    structuredContent: { session: target.session, path: turnPath(target, view.turn), ...view },
  };
}

const whereLater = (target: Target, turn: string): string =>
  `Its answer will be at GET ${turnPath(target, turn)}.`;
