import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ObjectHost } from '../machine/object-host.ts';
import { type Evidence, isErasableIn } from '../play/play.ts';
import type { SentMessage } from '../play/user.ts';
import { judgeCalls, judgeStrangers } from './judge-calls.ts';
import { type ForkSession, findForkEvent, judgeForks } from './judge-forks.ts';
import { judgeMessage, judgeTurn } from './judge-messages.ts';
import { judgeKeys, judgeRetried, judgeRetry } from './judge-retries.ts';
import { type ClientStream, judgeStream } from './judge-streams.ts';
import { closeUnread, judgeLate, readStory, type TurnStory } from './story.ts';
import { type Finding, getIncarnation, listInboxTurns, listWaiting, readJournal } from './witness.ts';

export type { Finding } from './witness.ts';

/** Returns all violations in a play, or an empty list. */
export function judge(evidence: Evidence): readonly Finding[] {
  const { platform, witness, sent, forks, listed, isOver, log } = evidence;
  const findings: Finding[] = [...witness.findings];
  if (witness.broken !== undefined)
    findings.push({ rule: 'broken play', where: 'the play', what: String((witness.broken as Error).stack) });
  if (!isOver)
    findings.push({
      rule: 'no end',
      where: 'the play',
      what: 'Three hours after the storm something goes on.',
    });
  const stories = [...platform.hosts.values()].map((host) => readSession(evidence, host));
  findings.push(...stories.flatMap((story) => judgeSession(evidence, story)));
  findings.push(...judgeEffects(evidence, stories));
  const sessions = new Map(stories.map((story) => [story.session, story]));
  findings.push(...judgeForks({ sessions, asked: forks, listed }), ...judgeKeys(sent));
  const nowhere = sent.filter(({ session }) => !sessions.has(session));
  for (const one of nowhere) findings.push(...judgeSent(one, EMPTY_STORY));
  findings.push(
    ...log.filter((line) => !isExpected(line)).map((what) => ({ rule: 'log', where: 'the app', what })),
  );
  return findings;
}

/** Log lines that plays cause on purpose. */
const EXPECTED = [
  /^info /,
  /^(error|warn) (model-failed|turn-failed|turn-stuck|tool-threw) /,
  /^error turn a turn failed \(/,
  /was not taken over: Error: Network connection lost/,
  /was not taken over: SessionUnavailableError/,
  /was not resumed/,
  / SessionUnavailableError: The session cannot be reached: /,
];
const isExpected = (line: string): boolean => EXPECTED.some((pattern) => pattern.test(line));

/** Returns the id by which users address the session. */
const parseSession = (name: string): string => String(JSON.parse(name)[2]);

/** The data of a session at the end of a play. */
interface SessionStory extends ForkSession {
  readonly host: ObjectHost;
  readonly erasedTurns: ReadonlySet<string>;
}

/** The default data of a session that received no message. */
const EMPTY_STORY: Pick<SessionStory, 'turns' | 'events' | 'isErasable' | 'headAt' | 'erasedTurns'> = {
  turns: [],
  events: [],
  isErasable: false,
  headAt: () => 0,
  erasedTurns: new Set(),
};

const judgeSent = (one: SentMessage, home: typeof EMPTY_STORY): Finding[] =>
  'plan' in one.errand
    ? judgeMessage(one.errand.plan.message, one, home)
    : judgeRetry(one.errand.name, one, home);

/** Checks that every effect in sessions without an erasure belongs to a journaled call. */
function judgeEffects({ outside, script }: Evidence, stories: readonly SessionStory[]): Finding[] {
  const isErasable = isErasableIn(script);
  return judgeStrangers(
    stories.filter((story) => !story.isErasable),
    outside.effects.filter(({ session }) => !isErasable(session)),
  );
}

function readSession({ witness, script }: Evidence, host: ObjectHost): SessionStory {
  const session = parseSession(host.name);
  const events = readJournal(host);
  const turns = readStory(events);
  closeUnread(turns, witness.folds.closedUnread(events));
  const journals = new Map(witness.erasedJournals.get(host.name));
  journals.set(getIncarnation(events), events);
  const upTo = findForkEvent(events)?.upTo ?? 0;
  return {
    host,
    session,
    events,
    turns,
    own: turns.filter(({ seq }) => seq > upTo),
    journals,
    isErasable: isErasableIn(script)(session),
    headAt: (time) => witness.headAt(host.name, time),
    erasedTurns: witness.erasedTurns.get(host.name) ?? new Set(),
  };
}

function judgeSession(evidence: Evidence, story: SessionStory): Finding[] {
  const { outside, sent, script } = evidence;
  const { host, session, events, turns, own, journals, erasedTurns } = story;
  countFigures(evidence, own);
  const { modelFaults, kills, freezes, deploys, slowWorld, weather } = script.storm;
  const canFail = ({ error }: TurnStory): boolean =>
    (error?.type === 'model-failure' && modelFaults > 0) ||
    (error?.type === 'stuck' && (kills + freezes + deploys > 0 || weather.crash > 0));
  return [
    ...judgeJournal(host, events),
    ...sent.filter((one) => one.session === session).flatMap((one) => judgeSent(one, story)),
    ...own.flatMap((turn) => judgeTurn(turn, canFail)),
    ...judgeCalls(
      own,
      outside.effects.filter((effect) => effect.session === session),
      { mayTimeOut: freezes > 0 || slowWorld > 0, mayModelFail: modelFaults > 0 },
    ),
    ...judgeRetried(
      story,
      sent.filter((one) => one.session === session),
    ),
    ...judgeLate(events, turns),
    ...judgeScheduled(own),
    ...judgeErased(host, erasedTurns),
    ...listWaiting(host).map((what) => ({ rule: 'left over', where: host.name, what })),
    ...judgeFolds(evidence, host, events),
    ...judgeTimes(evidence, story),
    ...listStreams(evidence, story).flatMap((stream) => judgeStream(stream, journals)),
  ];
}

/** The maximum delay until a reader has received all events, in ms. */
const MAX_BEHIND_MS = 60_000;

function listStreams(
  { readers, sent, stormEnd, witness }: Evidence,
  { host, session }: SessionStory,
): readonly ClientStream[] {
  const erased = witness.erasedJournals.get(host.name);
  const calm = Math.max(stormEnd, ...witness.ends.values()) + MAX_BEHIND_MS;
  return [
    ...readers.map((one) => ({
      ...one,
      isWhole: one.until > calm && !erased?.has(one.shown.at(-1)?.incarnation ?? ''),
    })),
    ...sent.flatMap((one) =>
      one.streams.map((stream) => ({ ...stream, session: one.session, isWhole: false })),
    ),
  ].filter((one) => one.session === session);
}

function countFigures({ witness }: Evidence, turns: readonly TurnStory[]): void {
  const { figures } = witness;
  figures.turns += turns.length;
  figures.retries += turns.filter(({ retries }) => retries !== undefined).length;
  for (const { calls, takeOvers } of turns) {
    figures.calls += calls.size;
    figures.takeOvers += takeOvers;
    figures.unknown += [...calls.values()].filter(({ told }) => told.includes('unknown')).length;
  }
}

/** Checks that a journal has no gap, and that no event of an older lease follows a newer one. */
function judgeJournal(host: ObjectHost, events: readonly StoredEvent[]): Finding[] {
  const { name: where } = host;
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (events.length === 0) return [];
  const epochs = host.database
    .exec('SELECT epoch FROM events ORDER BY seq', [])
    .toArray()
    .map(({ epoch }) => Number(epoch));
  const back = epochs.findIndex(
    (epoch, index) => epoch !== 0 && epoch < Math.max(0, ...epochs.slice(0, index)),
  );
  return [
    ...(gap === -1 ? [] : [{ rule: 'gap', where, what: `Event ${gap + 1} is ${events[gap]?.seq}.` }]),
    ...(back === -1
      ? []
      : [{ rule: 'epoch', where, what: `Event ${back + 1} is of an older lease than the one before.` }]),
    ...(events[0]?.type === 'session-opened' || findForkEvent(events)
      ? []
      : [{ rule: 'opening', where, what: `It begins with ${events[0]?.type}.` }]),
  ];
}

/** Checks that a scheduled turn starts once. */
const judgeScheduled = (turns: readonly TurnStory[]): Finding[] =>
  turns
    .flatMap(({ scheduled }) => scheduled)
    .flatMap((turn) => {
      const times = turns.filter((one) => one.turn === turn).length;
      return times === 1
        ? []
        : [{ rule: 'scheduled', where: `turn ${turn}`, what: `It was scheduled, and there are ${times}.` }];
    });

/** Checks that an erased session has no remaining data and receives no more events. */
function judgeErased(host: ObjectHost, erased: ReadonlySet<string>): Finding[] {
  const back = listInboxTurns(host).filter((turn) => erased.has(turn));
  const isEmpty = !host.database.tables().includes('events');
  return [
    ...back.map((turn) => ({ rule: 'erased', where: host.name, what: `Turn ${turn} is there again.` })),
    ...(isEmpty && host.alarm !== null
      ? [{ rule: 'erased', where: host.name, what: 'Its alarm is left.' }]
      : []),
  ];
}

/** Checks that the snapshot and the events after it produce the same state as all events. */
function judgeFolds({ witness }: Evidence, host: ObjectHost, events: readonly StoredEvent[]): Finding[] {
  if (!host.database.tables().includes('chunks')) return [];
  const rows = host.database
    .exec(`SELECT seq, reducer, body FROM chunks WHERE owner = 'snapshot' ORDER BY part`, [])
    .toArray();
  const [first] = rows;
  if (!first) return [];
  const body = Buffer.concat(rows.map((row) => Buffer.from(row.body as ArrayBuffer))).toString(); // a BLOB column
  const fault = witness.folds.foldFault(
    { seq: Number(first.seq), reducer: Number(first.reducer), body },
    events,
  );
  return fault ? [{ rule: 'snapshot is not cold', where: host.name, what: fault }] : [];
}

/**
 * The maximum duration of a turn after the storm or after the previous turn, in ms. An alarm on a machine whose
 * clock is 20 minutes behind is late by that time, and a pause lasts at most 5 minutes.
 */
const LONGEST_MS = 25 * 60_000;

function judgeTimes({ witness, stormEnd }: Evidence, { host, own }: SessionStory): Finding[] {
  let free = stormEnd;
  return own.flatMap(({ turn }) => {
    const end = witness.ends.get(`${host.name} ${turn}`) ?? free;
    const took = end - free;
    free = Math.max(free, end);
    witness.figures.longest = Math.max(witness.figures.longest, took);
    return took > LONGEST_MS
      ? [{ rule: 'late', where: `turn ${turn}`, what: `It ended ${took} ms after it could go on.` }]
      : [];
  });
}
