import type { CallToolResult } from '@modelcontextprotocol/server';
import { pendingViews } from '../../modules/answers/questions.ts';
import type { TurnAnswer, TurnOutcome } from '../../session/watching/turn-outcome.ts';
import type { PendingView } from '../../worker/answering.ts';
import { type Target, turnPath } from '../../worker/target.ts';
import { oneLine } from '../content/words.ts';
import { linksOf } from './session-resources.ts';
import { textBlock } from './to-call-result.ts';

/** A call of a published agent that is answered. */
export interface AnsweredCall {
  readonly target: Target;
  /** The agent's name, as clients know it. */
  readonly name: string;
  /** True when the client named no session, and has to learn this one. */
  readonly isNew: boolean;
}

/** Makes the answer to a client. A turn that waits or still runs is not an error. */
export function toAgentResult(call: AnsweredCall, outcome: TurnOutcome): CallToolResult {
  const { target } = call;
  switch (outcome.status) {
    case 'ended': {
      const { content, ...told } = ended(call, outcome.answer);
      const links = linksOf({ name: call.name, session: target.session }, outcome.answer);
      return { ...told, content: [...content, ...links] };
    }
    case 'suspended': {
      const pending = pendingViews(target, outcome.events);
      const { turn, text } = outcome.answer;
      return result(call, { turn, outcome: 'suspended', text, pending }, [
        text,
        waitingWords(pending),
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
  { turn, outcome, limit, text, object, error, signal }: TurnAnswer,
): CallToolResult {
  const told = { outcome, ...(limit && { limit }) };
  const view = { turn, ...told, text, ...(object !== undefined && { object }), ...(error && { error }) };
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

/** Says of a turn that it waits, for what, and where that is answered. */
export const waitingWords = (pending: readonly PendingView[]): string =>
  `The turn waits for an answer from outside, and goes on when that is there:${listedPending(pending)}`;

/** Puts each text in a block of its own: a model may be shown nothing else. */
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

/** The most characters of a tool's name, and of what is asked, which leaves room for all that a server asks with its marks. */
const MAX_NAME = 80;
const MAX_MESSAGE = 2_400;

/**
 * Lists what a turn waits for, a line each, with the address at which it is answered. What is asked may be the words of a stranger,
 * such as an MCP server's, so they come last: nothing that they say stands where an address of ours does.
 */
export const listedPending = (pending: readonly PendingView[]): string =>
  pending
    .map(
      ({ tool, message, links }) =>
        `\n- ${oneLine(tool, MAX_NAME)}, answered by POST ${addressOf(links)}: ${oneLine(message, MAX_MESSAGE)}`,
    )
    .join('');

const addressOf = (links: PendingView['links']): string =>
  'approvals' in links ? links.approvals : links.results;
