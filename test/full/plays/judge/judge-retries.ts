import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { SentMessage } from '../play/user.ts';
import type { ForkSession } from './judge-forks.ts';
import type { TurnStory } from './story.ts';
import type { Finding } from './witness.ts';

const ANSWERED_OUTCOMES = ['completed', 'returned-direct'];

/**
 * Checks that a turn is retried only if it has no answer, only once, and only if it was the last turn when the
 * retry was requested. Another message can start while the request is in transit.
 */
export function judgeRetried(
  { session, turns, own, headAt }: ForkSession,
  sent: readonly SentMessage[],
): Finding[] {
  const find = (what: string): Finding => ({ rule: 'retry', where: session, what });
  const retries = own.flatMap((turn) => (turn.retries === undefined ? [] : [{ turn, of: turn.retries }]));
  const times = Map.groupBy(retries, ({ of }) => of);
  return [
    ...[...times].flatMap(([of, all]) =>
      all.length > 1
        ? [find(`Turn ${of} is retried by ${all.map(({ turn }) => turn.turn).join(', ')}.`)]
        : [],
    ),
    ...retries.flatMap(({ turn, of }) => {
      const head = headAt(findAskedAt(turn, sent));
      const before = turns.slice(0, turns.indexOf(turn));
      const retried = before.findLast((one) => one.turn === of || one.seq <= head);
      const isRight =
        retried?.turn === of && !retried.outcomes.some((outcome) => ANSWERED_OUTCOMES.includes(outcome));
      return isRight ? [] : [find(`Turn ${turn.turn} retries ${of}, behind ${before.at(-1)?.turn}.`)];
    }),
  ];
}

/** Returns when the first request for a retry was sent, or `Infinity` if that is unknown. */
function findAskedAt({ turn }: TurnStory, sent: readonly SentMessage[]): number {
  const own = sent.filter(({ replies }) => replies.some((reply) => 'turn' in reply && reply.turn === turn));
  return own.length === 0
    ? Number.POSITIVE_INFINITY
    : Math.min(...own.flatMap(({ replies }) => replies.map(({ sentAt }) => sentAt)));
}

/** The data of the session that received a retry. */
interface Home extends Pick<ForkSession, 'turns' | 'events' | 'isErasable' | 'headAt'> {
  readonly erasedTurns: ReadonlySet<string>;
}

/** Checks that a retry is one turn, and that its sender received only the outcome in the journal. */
export function judgeRetry(name: string, sent: SentMessage, home: Home): Finding[] {
  const { turns, erasedTurns, isErasable } = home;
  const find = (rule: string, what: string): Finding => ({ rule, where: name, what });
  const accepted = new Set(
    sent.replies.flatMap((reply) => ('turn' in reply && reply.to === 'message' ? [reply.turn] : [])),
  );
  const byTurn = new Map(turns.map((turn): [string, TurnStory] => [turn.turn, turn]));
  const isOpenTo = (turn: string): boolean => !erasedTurns.has(turn);
  return [
    ...(sent.errand.keyed && accepted.size > 1 && !isErasable
      ? [find('taken twice', `It is the turns ${[...accepted].join(', ')}.`)]
      : []),
    ...[...accepted]
      .filter(isOpenTo)
      .flatMap((turn) =>
        byTurn.get(turn)?.retries === undefined
          ? [find('lost', `It was accepted as ${turn}, which is no retry.`)]
          : [],
      ),
    ...sent.replies.flatMap((reply) => {
      if (reply.came === 'unexpected') return [find('unexpected answer', `${reply.status} ${reply.body}`)];
      if (reply.came === 'gone' && reply.why === 'nothing-to-retry' && !isErasable)
        return hasAnswer(home, reply)
          ? []
          : [find('retry', 'It is refused, and the last turn has no answer.')];
      if (reply.came !== 'answer' || reply.to === 'decision' || !isOpenTo(reply.turn)) return [];
      const [outcome] = byTurn.get(reply.turn)?.outcomes ?? [];
      return outcome === reply.outcome
        ? []
        : [find('shown wrongly', `Shown ${reply.outcome} of turn ${reply.turn}, which is ${outcome}.`)];
    }),
  ];
}

/** Returns `true` if, at any time in this range, the last ended turn was answered or no turn had ended. */
function hasAnswer(
  { events, headAt }: Home,
  { sentAt, cameAt }: { readonly sentAt: number; readonly cameAt: number },
): boolean {
  const [from, to] = [headAt(sentAt), headAt(cameAt)];
  const ends = events.filter(
    (event): event is TurnEndedEvent => event.type === 'turn-ended' && event.seq <= to,
  );
  const first = ends.findLastIndex(({ seq }) => seq <= from);
  return first === -1 || ends.slice(first).some(({ outcome }) => ANSWERED_OUTCOMES.includes(outcome));
}

type TurnEndedEvent = Extract<StoredEvent, { type: 'turn-ended' }>;

/** Checks that retries with different keys are different turns. */
export function judgeKeys(sent: readonly SentMessage[]): Finding[] {
  const byTurn = new Map<string, Set<string>>();
  for (const { session, errand, replies } of sent) {
    if ('plan' in errand || !errand.keyed) continue;
    for (const reply of replies) {
      if (!('turn' in reply) || reply.to !== 'message') continue;
      const place = `${session} ${reply.turn}`;
      byTurn.set(place, (byTurn.get(place) ?? new Set()).add(errand.name));
    }
  }
  return [...byTurn].flatMap(([where, names]) =>
    names.size > 1 ? [{ rule: 'retry', where, what: `It is that of ${[...names].join(' and ')}.` }] : [],
  );
}
