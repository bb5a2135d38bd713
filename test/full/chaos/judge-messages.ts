import { cannotBeStored, type SentMessage } from './deliver.ts';
import type { Finding, Ledger } from './ledger.ts';
import { readStory, type TurnStory } from './story.ts';

/** The turns that accepted each message. */
export type Homes = ReadonlyMap<string, readonly TurnStory[]>;

/** Finds the turns that accepted each message. In a correct run, each message has one. */
export function collectHomes({ journals }: Pick<Ledger, 'journals'>): Homes {
  const homes = new Map<string, TurnStory[]>();
  for (const turn of [...journals.values()].flatMap(readStory)) {
    for (const { name } of turn.messages) homes.set(name, [...(homes.get(name) ?? []), turn]);
  }
  return homes;
}

/** `true` once a response has confirmed that the message is stored. */
export const isAccepted = ({ replies }: SentMessage): boolean => replies.some((reply) => 'turn' in reply);

/** Returns `true` if the turn waits for a decision that its sender will not make or does not know about. */
export const isLeftWaiting = (sent: SentMessage, turn: TurnStory): boolean =>
  (sent.errand.verdict === 'leave' || mayAbandon(sent)) && turn.waiting > 0 && turn.outcomes.length === 0;

/**
 * Returns `true` if the sender must not repeat the message, because it has no key and could be stored twice.
 */
const mayAbandon = (sent: SentMessage): boolean => !sent.errand.keyed && !isAccepted(sent);

/**
 * Checks that every accepted message has exactly one outcome in time, and that its sender received only that
 * outcome.
 */
export function judgeMessages(ledger: Ledger, homes: Homes): Finding[] {
  return ledger.sent.flatMap((sent) => {
    const turns = homes.get(sent.errand.plan.message) ?? [];
    return [
      ...judgeTurns(ledger, sent, turns),
      ...judgeReplies(sent, turns),
      ...judgeSilence(sent),
      ...judgeShown(ledger, sent),
    ];
  });
}

const toFinding = (sent: SentMessage, rule: string, what: string): Finding => ({
  rule,
  where: sent.errand.plan.message,
  what,
});

/** Returns how long a turn took after the last restart, or after the end of the previous turn, in ms. */
export const computeDuration = (
  { restartedAt }: Pick<Ledger, 'restartedAt'>,
  { freeAt, endedAt }: TurnStory,
): number => endedAt - Math.max(restartedAt, freeAt);

function judgeTurns(ledger: Ledger, sent: SentMessage, turns: readonly TurnStory[]): Finding[] {
  const [turn] = turns;
  if (!turn)
    return isAccepted(sent) ? [toFinding(sent, 'lost', 'It was accepted, and no turn took it in.')] : [];
  if (turns.length > 1) {
    return [toFinding(sent, 'taken twice', `It is in the turns ${turns.map((one) => one.turn).join(', ')}.`)];
  }
  const { outcomes } = turn;
  if (outcomes.length > 1)
    return [toFinding(sent, 'ended twice', `Turn ${turn.turn}: ${outcomes.join(', ')}.`)];
  if (outcomes.length === 0) {
    return isLeftWaiting(sent, turn) ? [] : [toFinding(sent, 'stuck', `Turn ${turn.turn} has not ended.`)];
  }
  const took = computeDuration(ledger, turn);
  const lateness =
    took > ledger.patience ? [toFinding(sent, 'late', `It ended ${took} ms after it could go on.`)] : [];
  return [...lateness, ...judgeOutcome(ledger, sent, turn)];
}

/** The number of consecutive take-overs without progress after which a turn is abandoned. */
const ABANDONED_AFTER = 8;

/** Checks that a turn completed, unless it was cancelled or its holders died repeatedly. */
function judgeOutcome(ledger: Ledger, sent: SentMessage, turn: TurnStory): Finding[] {
  const { outcomes, error, cancelRequested, startedAt, endedAt, inVain } = turn;
  // An invocation that is killed immediately after its take-over leaves no event. A stalled holder loses its
  // lease without a kill.
  const kills = ledger.kills.filter((at) => at >= startedAt && at <= endedAt).length;
  switch (outcomes[0]) {
    case 'completed':
      return [];
    case 'cancelled':
      return cancelRequested ? [] : [toFinding(sent, 'outcome', 'It was cancelled by nobody.')];
    case 'failed':
      if (error?.type === 'stuck' && Math.max(kills, inVain) >= ABANDONED_AFTER) return [];
      return [toFinding(sent, 'outcome', `It failed: ${error?.type}: ${error?.message}`)];
    default:
      return [toFinding(sent, 'outcome', `It ended as ${outcomes[0]}.`)];
  }
}

/** Checks that the replies match the journal. */
function judgeReplies(sent: SentMessage, [home]: readonly TurnStory[]): Finding[] {
  return sent.replies.flatMap((reply) => {
    if (reply.came === 'unexpected')
      return toFinding(sent, 'unexpected answer', `${reply.status} ${reply.body}`);
    if (!home || !('turn' in reply)) return [];
    const own = home.messages.find(({ name }) => name === sent.errand.plan.message);
    const isItsTurn = reply.turn === home.turn || reply.turn === own?.as;
    const isItsEnd = reply.came !== 'answer' || home.outcomes.some((outcome) => outcome === reply.outcome);
    if (isItsTurn && isItsEnd) return [];
    const told = reply.came === 'answer' ? reply.outcome : reply.came;
    const what = `Told ${told} in turn ${reply.turn}; it is ${home.outcomes.join() || 'open'} in turn ${home.turn}.`;
    return toFinding(sent, 'told wrongly', what);
  });
}

/** Checks that a sender receives an answer if it can retry or if its message is stored. */
function judgeSilence(sent: SentMessage): Finding[] {
  const { replies, errand } = sent;
  const isOver = replies.some(({ came }) => came === 'answer' || came === 'unexpected');
  const hasLeft = errand.verdict === 'leave' && replies.some(({ came }) => came === 'suspended');
  if (isOver || hasLeft || mayAbandon(sent) || cannotBeStored(sent)) return [];
  return [
    toFinding(sent, 'not answered', `It was sent ${replies.length} times, and nobody told how it ended.`),
  ];
}

/** Checks that streams showed only durable events. */
function judgeShown({ journals }: Ledger, sent: SentMessage): Finding[] {
  const journal = journals.get(sent.errand.session) ?? [];
  const types = new Map(journal.map(({ seq, type }) => [seq, type]));
  return sent.shown
    .filter(({ seq, type }) => types.get(seq) !== type)
    .map(({ seq, type }) =>
      toFinding(sent, 'shown and lost', `${type} at ${seq}, where there is ${types.get(seq)}.`),
    );
}
