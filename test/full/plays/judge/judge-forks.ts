import { isDeepStrictEqual } from 'node:util';
import type { ResultData } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ForkAttempt, ListedFork, SentFork } from '../play/forks.ts';
import { type CutOffCall, findCutOffCalls } from './cut-off.ts';
import type { Journals } from './judge-streams.ts';
import type { CallStory, TurnStory } from './story.ts';
import type { Finding } from './witness.ts';

/** The data of a session that is needed to judge forks. */
export interface ForkSession {
  /** The id of the session. */
  readonly session: string;
  readonly events: readonly StoredEvent[];
  readonly turns: readonly TurnStory[];
  /** The turns that were not copied from the session's source. */
  readonly own: readonly TurnStory[];
  /** The journals of the session, including erased ones. */
  readonly journals: Journals;
  /**
   * `true` if the session or its source may have been erased. Then its remaining data does not prove a
   * violation.
   */
  readonly isErasable: boolean;
  /** Returns the last event that was stored at a time, in simulated ms. */
  headAt(time: number): number;
}

export interface Forks {
  readonly sessions: ReadonlyMap<string, ForkSession>;
  readonly asked: readonly SentFork[];
  /** The final fork list of each forked session, or `undefined` if the session does not exist. */
  readonly listed: ReadonlyMap<string, readonly ListedFork[] | undefined>;
}

type ForkEvent = Extract<StoredEvent, { type: 'session-forked' }>;

/** Checks that forks match their requests, and that they do not repeat effects. */
export function judgeForks(forks: Forks): Finding[] {
  const { sessions, asked } = forks;
  return [
    ...[...sessions.values()].flatMap((one) => [...judgeCopy(one, sessions), ...judgeRepeated(one, forks)]),
    ...asked.flatMap((one) => judgeRequests(one, sessions)),
    ...judgeUnnamed(forks),
    ...judgeListed(forks),
  ];
}

/** Returns the fork event of a session, if it is a fork. */
export const findForkEvent = ([first]: readonly StoredEvent[]): ForkEvent | undefined =>
  first?.type === 'session-forked' ? first : undefined;

/**
 * Checks that a fork contains the events of its source up to the cut, followed by the ends of open calls and
 * turns.
 */
function judgeCopy({ session, events }: ForkSession, sessions: Forks['sessions']): Finding[] {
  const forked = findForkEvent(events);
  if (!forked) return [];
  const { upTo, told } = forked;
  const find = (what: string): Finding => ({ rule: 'copy', where: session, what });
  const source = sessions.get(forked.from)?.journals.get(forked.fromIncarnation);
  if (!source) return [find(`Its source is ${forked.from} ${forked.fromIncarnation}, which is not known.`)];
  const copied = upTo === 1 ? [] : events.slice(1, upTo);
  const wrong = copied.findIndex((event, index) => !isSame(event, source[index + 1]));
  if (wrong !== -1 || (upTo > 1 && copied.length !== upTo - 1))
    return [find(`Event ${wrong + 2} of ${copied.length + 1} is not that of its source.`)];
  const rest = events.slice(Math.max(2, upTo));
  const open = findOpenTurn(copied);
  const ends = open ? rest.slice(0, open.calls.size) : [];
  const [next, last] = rest.slice(ends.length);
  const steered = next?.type === 'turn-steered' && next.message === told;
  const end = steered ? last : next;
  return [
    ...(open ? judgeEnds(open.calls, ends) : []).map(find),
    ...(told !== undefined && !steered ? [find(`It does not say what was cut off, but ${next?.type}.`)] : []),
    ...(open && !(end?.type === 'turn-ended' && end.turn === open.turn && end.outcome === 'cancelled')
      ? [find(`Turn ${open.turn} was open, and ${JSON.stringify(end)} follows.`)]
      : []),
  ];
}

const isSame = ({ at: _, ...event }: StoredEvent, source: StoredEvent | undefined): boolean =>
  isDeepStrictEqual({ ...event, at: 0 }, { ...source, at: 0 });

/** The progress of an open call. */
type Stage = 'asked' | 'waits' | 'started' | 'known';

/** Returns the turn that is open after these events, with its open calls. */
function findOpenTurn(
  events: readonly StoredEvent[],
): { turn: string; calls: Map<string, Stage> } | undefined {
  let open: { turn: string; calls: Map<string, Stage> } | undefined;
  for (const event of events) {
    if (event.type === 'turn-started') open = { turn: event.turn, calls: new Map() };
    if (event.type === 'turn-ended') open = undefined;
    if (event.type === 'model-replied') for (const { id } of event.toolCalls) open?.calls.set(id, 'asked');
    if (!open || !('call' in event) || !open.calls.has(event.call)) continue;
    const { calls } = open;
    const isEffect = event.type === 'tool-call-started' && ['once', 'idempotent'].includes(event.effect);
    if (isEffect) calls.set(event.call, 'started');
    if (event.type === 'tool-call-suspended' && calls.get(event.call) !== 'started')
      calls.set(event.call, 'waits');
    if (event.type === 'tool-call-answered')
      calls.set(event.call, event.answer.type === 'result' ? 'known' : 'asked');
    if (event.type === 'late-result-received') calls.set(event.call, 'known');
    if (event.type === 'tool-call-ended') calls.delete(event.call);
  }
  return open;
}

function judgeEnds(calls: ReadonlyMap<string, Stage>, ends: readonly StoredEvent[]): string[] {
  const results = new Map(
    ends.flatMap((end) => (end.type === 'tool-call-ended' ? [[end.call, end.result] as const] : [])),
  );
  return [...calls].flatMap(([id, stage]) => {
    const result = results.get(id);
    if (!result) return [`The call ${id} was open, and has no end.`];
    return isRight(stage, result)
      ? []
      : [`The call ${id} was ${stage}, and ends as ${JSON.stringify(result)}.`];
  });
}

function isRight(stage: Stage, result: ResultData): boolean {
  const reason = result.type === 'error' ? result.reason : undefined;
  switch (stage) {
    case 'known':
      return true;
    case 'started':
      return reason === 'unknown-outcome';
    case 'waits':
      return result.type === 'error' && reason === 'declined' && result.message.endsWith('Reason: branched');
    case 'asked':
      // A call of an open loop has an unknown outcome, and a declined call stays declined.
      return reason === 'cancelled' || reason === 'unknown-outcome' || reason === 'declined';
  }
}

/**
 * Checks that a repeated request returns the same fork, and that a request is refused if and only if effects
 * were cut off.
 */
function judgeRequests(
  { session, errand, replies }: SentFork,
  sessions: ReadonlyMap<string, ForkSession>,
): Finding[] {
  const source = sessions.get(session);
  const find = (what: string): Finding => ({
    rule: 'fork',
    where: `${errand.inside.name} of ${session}`,
    what,
  });
  const forks = replies.flatMap((reply) => (reply.came === 'forked' ? [reply] : []));
  const others = new Set(forks.map((one) => `${one.session} at ${one.at}`));
  return [
    ...replies.flatMap((reply) => judgeReply(reply, source)).map(find),
    ...(others.size > 1 ? [find(`It is ${[...others].join(' and ')}.`)] : []),
    ...(errand.isNamed && forks.some((one) => one.session !== errand.inside.name)
      ? [find(`It has the name ${forks[0]?.session}.`)]
      : []),
    ...forks
      .slice(0, 1)
      .flatMap((one) => judgeForked(one, { replies, sessions, source }))
      .map(find),
  ];
}

function judgeReply(reply: ForkAttempt, source: ForkSession | undefined): string[] {
  if (reply.came === 'unexpected') {
    const isExcused = source?.isErasable && reply.status === 422 && reply.body.includes('is after it');
    return isExcused ? [] : [`${reply.status} ${reply.body}`];
  }
  if (reply.came === 'gone') return source?.isErasable ? [] : [reply.why];
  if (reply.came !== 'would-repeat' || !source || source.isErasable) return [];
  if (reply.repeatEffects) return ['It is refused, and may repeat effects.'];
  const at = reply.askedAt ?? source.headAt(reply.sentAt);
  const known = new Set(findCutOffCalls(source.events, at, Infinity).map(({ call }) => call));
  const wrong = reply.calls.filter((call) => !known.has(call));
  return reply.calls.length === 0 || wrong.length > 0
    ? [
        `It is refused at ${at} for the calls ${reply.calls.join(', ')}, and ${wrong.join(', ')} are not cut off.`,
      ]
    : [];
}

function judgeForked(
  { session, at }: { readonly session: string; readonly at: number },
  {
    replies,
    sessions,
    source,
  }: {
    readonly replies: readonly ForkAttempt[];
    readonly sessions: ReadonlyMap<string, ForkSession>;
    readonly source: ForkSession | undefined;
  },
): string[] {
  if (!source || source.isErasable) return [];
  const forked = findForkEvent(sessions.get(session)?.events ?? []);
  if (!forked) return [`${session} is no fork.`];
  const asked = replies[0]?.askedAt;
  const sentAt = Math.min(...replies.map((reply) => reply.sentAt));
  const mayRepeat = replies.some(({ repeatEffects }) => repeatEffects);
  const known = mayRepeat ? [] : findCutOffCalls(source.events, at, source.headAt(sentAt));
  return [
    ...(forked.from !== source.session || forked.upTo !== at || (asked !== undefined && asked !== at)
      ? [`Asked for at ${asked} it is of ${forked.from} at ${forked.upTo}, and said to be at ${at}.`]
      : []),
    ...(known.length > 0
      ? [`It cuts off ${known.map(({ call }) => call).join(', ')}, and is not refused.`]
      : []),
    ...(forked.told !== undefined && !mayRepeat && !findForkEvent(source.events)
      ? ['It may not repeat effects, and says which.']
      : []),
  ];
}

/** Checks that a session has only requested forks. */
function judgeUnnamed({ sessions, asked }: Forks): Finding[] {
  return [...sessions.keys()].flatMap((source) => {
    const unnamed = [...sessions.values()].filter(
      ({ session, events }) => findForkEvent(events)?.from === source && session.startsWith(`${source}.`),
    ).length;
    const requests = asked
      .filter(({ session, errand }) => session === source && !errand.isNamed)
      .reduce((sum, { replies }) => sum + replies.length, 0);
    return unnamed > requests
      ? [{ rule: 'fork', where: source, what: `It has ${unnamed} forks by ${requests} requests.` }]
      : [];
  });
}

/** Returns the cut-off effects that were recorded when the fork was first requested. */
function listCutOffCalls(fork: ForkSession, forks: Forks): readonly CutOffCall[] {
  const forked = findForkEvent(fork.events);
  const source = forked && forks.sessions.get(forked.from);
  if (!source || source.isErasable) return [];
  const own = findCutOffCalls(source.events, forked.upTo, findHeadWhenAsked(fork, source, forks));
  return [...own, ...listCutOffCalls(source, forks)];
}

/** Returns the last event of the source when its fork was first requested, or 0 if the time is unknown. */
function findHeadWhenAsked({ session }: ForkSession, source: ForkSession, { asked }: Forks): number {
  const sent = asked.find(({ replies }) =>
    replies.some((reply) => reply.came === 'forked' && reply.session === session),
  );
  return sent ? source.headAt(Math.min(...sent.replies.map(({ sentAt }) => sentAt))) : 0;
}

/**
 * Checks that the model of a fork does not repeat cut-off calls that had started, because its notice lists
 * them.
 */
function judgeRepeated(fork: ForkSession, forks: Forks): Finding[] {
  const known = new Map(listCutOffCalls(fork, forks).map(({ label, call }) => [label, call]));
  const calls = fork.own.flatMap((turn) => [...turn.calls.values()]);
  return calls.flatMap(({ label, id }: CallStory) => {
    const before = known.get(label);
    return before === undefined
      ? []
      : [{ rule: 'repeated', where: label, what: `It is ${id} of ${fork.session}, and was ${before}.` }];
  });
}

/** Checks that a session lists each of its forks once. Without a turn, a fork is not listed. */
function judgeListed(forks: Forks): Finding[] {
  const { sessions, listed } = forks;
  return [...listed].flatMap(([source, list]) => {
    const found = sessions.get(source);
    if (!found || found.isErasable) return [];
    const names = (list ?? []).map(({ session, at }) => `${session} at ${at}`);
    const expected = [...sessions.values()].flatMap((fork) => {
      const { session, events } = fork;
      const forked = findForkEvent(events);
      const mayLack = forked?.upTo === 1 && findHeadWhenAsked(fork, found, forks) < 2;
      return forked?.from === source && !(mayLack && !names.includes(`${session} at 1`))
        ? [`${session} at ${forked.upTo}`]
        : [];
    });
    return isDeepStrictEqual(names.toSorted(), expected.toSorted())
      ? []
      : [
          {
            rule: 'listed',
            where: source,
            what: `It lists ${names.join(', ')}, and has ${expected.join(', ')}.`,
          },
        ];
  });
}
