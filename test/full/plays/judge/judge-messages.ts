import type { SentMessage } from '../play/user.ts';
import type { TurnStory } from './story.ts';
import type { Finding } from './witness.ts';

/** The data of the session that received a message. */
export interface Home {
  readonly turns: readonly TurnStory[];
  readonly erasedTurns: ReadonlySet<string>;
}

/**
 * Checks that every accepted message has exactly one outcome, and that its sender received only that outcome.
 */
export function judgeMessage(name: string, sent: SentMessage, { turns, erasedTurns }: Home): Finding[] {
  const find = (rule: string, what: string): Finding => ({ rule, where: name, what });
  const accepted = new Set(
    sent.replies.flatMap((reply) => ('turn' in reply && reply.to === 'message' ? [reply.turn] : [])),
  );
  const homes = turns.flatMap((turn) =>
    turn.messages.filter((one) => one.name === name).map(({ as }) => ({ as, turn })),
  );
  const lost = [...accepted].filter(
    (turn) =>
      !erasedTurns.has(turn) && !homes.some(({ as, turn: home }) => as === turn || home.turn === turn),
  );
  return [
    ...lost.map((turn) => find('lost', `It was accepted as turn ${turn}, which is not there.`)),
    ...(sent.errand.keyed && homes.length > 1
      ? [find('taken twice', `It is in the turns ${homes.map(({ turn }) => turn.turn).join(', ')}.`)]
      : []),
    ...sent.replies.flatMap((reply) => judgeReply(reply, { homes, erasedTurns, find })),
    ...judgeSilence(sent, find),
  ];
}

interface JudgedMessages {
  readonly homes: readonly { readonly as: string; readonly turn: TurnStory }[];
  readonly erasedTurns: ReadonlySet<string>;
  find(rule: string, what: string): Finding;
}

/** Checks that a reply matches the journal. */
function judgeReply(
  reply: SentMessage['replies'][number],
  { homes, erasedTurns, find }: JudgedMessages,
): Finding[] {
  if (reply.came === 'unexpected')
    return [find('unexpected answer', `${reply.to}: ${reply.status} ${reply.body}`)];
  if (reply.came !== 'answer' || erasedTurns.has(reply.turn)) return [];
  if (reply.to === 'decision' || reply.to === 'cancel') return [];
  const home = homes.find(({ as, turn }) => as === reply.turn || turn.turn === reply.turn);
  if (!home)
    return [find('shown wrongly', `Shown ${reply.outcome} of turn ${reply.turn}, which is not there.`)];
  const [outcome] = home.turn.outcomes;
  return outcome === reply.outcome
    ? []
    : [find('shown wrongly', `Shown ${reply.outcome} of turn ${reply.turn}, which is ${outcome}.`)];
}

/** Checks that the sender of a message with a key eventually receives an answer. */
function judgeSilence({ errand, replies }: SentMessage, find: JudgedMessages['find']): Finding[] {
  const isOver = replies.some(
    (reply) =>
      ['answer', 'gone', 'unexpected'].includes(reply.came) ||
      (reply.came === 'accepted' && reply.status === 'steered'),
  );
  return !errand.keyed || isOver
    ? []
    : [find('not answered', `It was sent ${replies.length} times, and nobody said how it ended.`)];
}

/**
 * Checks that a turn ends once, that no event of it follows, and that it fails only if a failure is allowed.
 */
export function judgeTurn(turn: TurnStory, isFailureAllowed: (turn: TurnStory) => boolean): Finding[] {
  const where = `turn ${turn.turn}`;
  const { outcomes, afterEnd, error } = turn;
  return [
    ...(outcomes.length === 0 ? [{ rule: 'open', where, what: 'It has not ended.' }] : []),
    ...(outcomes.length > 1 ? [{ rule: 'ended twice', where, what: outcomes.join(', ') }] : []),
    ...(afterEnd.length > 0 ? [{ rule: 'after the end', where, what: afterEnd.join(', ') }] : []),
    ...(outcomes[0] === 'failed' && !isFailureAllowed(turn)
      ? [{ rule: 'failed', where, what: `${error?.type}: ${error?.message}` }]
      : []),
    ...(outcomes[0] === 'cancelled' && !turn.isCancelled && !hasExited(turn)
      ? [{ rule: 'cancelled', where, what: 'Nobody has cancelled it.' }]
      : []),
  ];
}

/** Returns `true` if a decision ended the turn. */
const hasExited = ({ calls }: TurnStory): boolean =>
  [...calls.values()].some(({ results }) => results.some(({ signal }) => signal?.type === 'exit'));
