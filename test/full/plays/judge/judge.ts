import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ObjectHost } from '../machine/object-host.ts';
import type { Evidence } from '../play/play.ts';
import { judgeCalls, judgeStrangers } from './judge-calls.ts';
import { judgeMessage, judgeTurn } from './judge-messages.ts';
import { judgeStream, type ReadStream } from './judge-streams.ts';
import { closeUnread, judgeLate, storyOf, type TurnStory } from './story.ts';
import { type Finding, incarnationOf, journalOf, leftIn, turnsAreIn } from './witness.ts';

export type { Finding } from './witness.ts';

/** Everything of a play that must not be; nothing, if all is well. */
export function judge(evidence: Evidence): readonly Finding[] {
  const { platform, witness, sent, isOver, log } = evidence;
  const findings: Finding[] = [...witness.findings];
  if (witness.broken !== undefined)
    findings.push({ rule: 'broken play', where: 'the play', what: String((witness.broken as Error).stack) });
  if (!isOver)
    findings.push({
      rule: 'no end',
      where: 'the play',
      what: 'Three hours after the storm something goes on.',
    });
  const stories = [...platform.hosts.values()].map((host) => judgeSession(evidence, host));
  findings.push(...stories.flatMap((story) => story.findings));
  findings.push(...judgeEffects(evidence, stories));
  const reached = new Set([...platform.hosts.keys()].map(sessionOf));
  const nowhere = sent.filter(({ session }) => !reached.has(session));
  for (const one of nowhere) findings.push(...judgeMessage(one, { turns: [], erasedTurns: new Set() }));
  findings.push(
    ...log.filter((line) => !isExpected(line)).map((what) => ({ rule: 'log', where: 'the app', what })),
  );
  return findings;
}

/** What is said of what plays do on purpose. */
const EXPECTED = [
  /^info /,
  /^(error|warn) (model-failed|turn-failed|turn-stuck|tool-threw) /,
  /^error turn a turn failed \(/,
  /was not taken over: Error: Network connection lost/,
  /was not taken over: SessionUnavailableError/,
  /was not gone on with/,
  / SessionUnavailableError: The session cannot be reached: /,
];
const isExpected = (line: string): boolean => EXPECTED.some((pattern) => pattern.test(line));

/** The session's id, as its users call it. */
const sessionOf = (name: string): string => String(JSON.parse(name)[2]);

/** What is known of a session when a play is over. */
interface SessionStory {
  readonly turns: readonly TurnStory[];
  readonly findings: readonly Finding[];
}

/** In sessions that nobody erased, every effect is of a call in a journal. */
function judgeEffects({ outside, script }: Evidence, stories: readonly SessionStory[]): Finding[] {
  const kept = script.sessions.filter(({ erasures }) => erasures.length === 0).map(({ name }) => `${name}m`);
  const effects = outside.effects.filter(({ label }) => kept.some((session) => label.startsWith(session)));
  return judgeStrangers(
    stories.flatMap(({ turns }) => turns),
    effects,
  );
}

function judgeSession(evidence: Evidence, host: ObjectHost): SessionStory {
  const { witness, outside, sent, script } = evidence;
  const session = sessionOf(host.name);
  const events = journalOf(host);
  const turns = storyOf(events);
  closeUnread(turns, witness.folds.closedUnread(events));
  const erased = witness.erasedTurns.get(host.name) ?? new Set<string>();
  count(evidence, turns);
  const { modelFaults, kills, freezes, deploys, slowWorld, weather } = script.storm;
  const mayFail = ({ error }: TurnStory): boolean =>
    (error?.type === 'model-failure' && modelFaults > 0) ||
    (error?.type === 'stuck' && (kills + freezes + deploys > 0 || weather.crash > 0));
  const journals = new Map(witness.erasedJournals.get(host.name));
  journals.set(incarnationOf(events), events);
  const findings = [
    ...judgeJournal(host, events),
    ...sent
      .filter((one) => one.session === session)
      .flatMap((one) => judgeMessage(one, { turns, erasedTurns: erased })),
    ...turns.flatMap((turn) => judgeTurn(turn, mayFail)),
    ...judgeCalls(turns, outside.effects, {
      mayTimeOut: freezes > 0 || slowWorld > 0,
      mayModelFail: modelFaults > 0,
    }),
    ...judgeLate(events, turns),
    ...judgeScheduled(turns),
    ...judgeErased(host, erased),
    ...leftIn(host).map((what) => ({ rule: 'left over', where: host.name, what })),
    ...judgeFolds(evidence, host, events),
    ...judgeTimes(evidence, turns),
    ...streamsOf(evidence, session).flatMap((stream) => judgeStream(stream, journals)),
  ];
  return { turns, findings };
}

/** In which time whoever reads is shown everything, in ms. */
const BEHIND = 60_000;

function streamsOf({ readers, sent, stormEnd, witness }: Evidence, session: string): readonly ReadStream[] {
  const calm = Math.max(stormEnd, ...witness.ends.values()) + BEHIND;
  return [
    ...readers.map((one) => ({ ...one, isWhole: one.until > calm })),
    ...sent.flatMap((one) =>
      one.streams.map((stream) => ({ ...stream, session: one.session, isWhole: false })),
    ),
  ].filter((one) => one.session === session);
}

function count({ witness }: Evidence, turns: readonly TurnStory[]): void {
  const { figures } = witness;
  figures.turns += turns.length;
  for (const { calls, takeOvers } of turns) {
    figures.calls += calls.size;
    figures.takeOvers += takeOvers;
    figures.unknown += [...calls.values()].filter(({ told }) => told.includes('unknown')).length;
  }
}

/** A journal has no gap, and no event of an older lease behind one of a newer. */
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
    ...(events[0]?.type === 'session-opened'
      ? []
      : [{ rule: 'opening', where, what: `It begins with ${events[0]?.type}.` }]),
  ];
}

/** What a call has scheduled, starts once. */
const judgeScheduled = (turns: readonly TurnStory[]): Finding[] =>
  turns
    .flatMap(({ scheduled }) => scheduled)
    .flatMap((turn) => {
      const times = turns.filter((one) => one.turn === turn).length;
      return times === 1
        ? []
        : [{ rule: 'scheduled', where: `turn ${turn}`, what: `It was scheduled, and there are ${times}.` }];
    });

/** Nothing of an erased session is left, and nothing comes behind it. */
function judgeErased(host: ObjectHost, erased: ReadonlySet<string>): Finding[] {
  const back = turnsAreIn(host).filter((turn) => erased.has(turn));
  const isEmpty = !host.database.tables().includes('events');
  return [
    ...back.map((turn) => ({ rule: 'erased', where: host.name, what: `Turn ${turn} is there again.` })),
    ...(isEmpty && host.alarm !== null
      ? [{ rule: 'erased', where: host.name, what: 'Its alarm is left.' }]
      : []),
  ];
}

/** The snapshot and what comes after it make the state that all events make. */
function judgeFolds({ witness }: Evidence, host: ObjectHost, events: readonly StoredEvent[]): Finding[] {
  if (!host.database.tables().includes('chunks')) return [];
  const rows = host.database
    .exec(`SELECT seq, reducer, body FROM chunks WHERE owner = 'snapshot' ORDER BY part`, [])
    .toArray();
  const [first] = rows;
  if (!first) return [];
  const body = Buffer.concat(rows.map((row) => Buffer.from(row.body as ArrayBuffer))).toString(); // a column of bytes
  const fault = witness.folds.foldFault(
    { seq: Number(first.seq), reducer: Number(first.reducer), body },
    events,
  );
  return fault ? [{ rule: 'snapshot is not cold', where: host.name, what: fault }] : [];
}

/**
 * After the storm a turn takes no longer than this, from the end of the one before it on, in ms: the alarm of a machine whose clock is set
 * back by 20 minutes comes so much later, and a pause takes five at the most.
 */
const LONGEST = 25 * 60_000;

function judgeTimes({ witness, stormEnd }: Evidence, turns: readonly TurnStory[]): Finding[] {
  let free = stormEnd;
  return turns.flatMap(({ turn }) => {
    const end = witness.ends.get(turn) ?? free;
    const from = Math.max(free, witness.starts.get(turn) ?? 0);
    const took = end - from;
    free = Math.max(free, end);
    witness.figures.longest = Math.max(witness.figures.longest, took);
    return took > LONGEST
      ? [{ rule: 'late', where: `turn ${turn}`, what: `It ended ${took} ms after it could go on.` }]
      : [];
  });
}
