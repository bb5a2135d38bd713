/** Invariants of a session under random calls and random losses of its object. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AppendData, InboxMessage, InboxMessageKind, TurnStart } from '../../../doors/journal.ts';
import { SessionLedger } from '../../../doors/ledger.ts';
import { MemoryStorage } from '../../../doors/testing.ts';
import { createEventRow, createTurnStart, READER } from '../../../fixtures/session-contract/harness.ts';

const LEASE_MS = 20_000;

/** Picks an option by the next drawn number. */
type DrawFunction = <T>(options: readonly [T, ...T[]]) => T;

/** A holder that may have lost its lease without knowing. */
interface Holder {
  readonly epoch: number;
  readonly turn: string;
  seq: number;
  inbox: readonly number[];
  /** The time at which one of its messages was last acknowledged. */
  heard: number;
  /** The time at which one of its pings was last answered. */
  pinged: number;
  line?: HolderLine;
}

/** The holder's line to one instance of the object. */
interface HolderLine {
  readonly epoch: number;
  readonly line: number;
  pinged: number | null;
  isOpen: boolean;
}

/** The platform's state for one instance of the object: the line whose pings it answers. */
interface Life {
  line?: HolderLine | undefined;
  /** Closed lines that the object has not been notified of. */
  readonly closed: HolderLine[];
}

type Append = readonly [epoch: number, from: number, change: AppendData];

/** A session, its clock and alarm, and its users' records. */
class Scene {
  readonly draw: DrawFunction;
  now = 1_000_000;
  alarm: number | null = null;
  readonly storage = new MemoryStorage('s', (due) => {
    this.alarm = due;
  });
  life: Life = { closed: [] };
  ledger: SessionLedger;
  readonly turns: string[] = ['t0'];
  readonly waits: string[] = ['w0'];
  /** The turns whose storage was acknowledged. */
  readonly taken = new Set<string>();
  holder: Holder | undefined;
  sent: Append | undefined;
  step = 0;
  /** `true` if a lease was granted while the previous holder could still act. */
  overlaps = false;
  #sessions = 0;

  constructor(numbers: readonly number[]) {
    let next = 0;
    this.draw = (options) => options[(numbers[next++ % numbers.length] ?? 0) % options.length] ?? options[0];
    this.ledger = this.restarted();
  }

  restarted(): SessionLedger {
    const getFirstEpoch = (): number => this.#sessions++ * 1_000_000;
    return new SessionLedger(this.storage, {
      leaseMs: LEASE_MS,
      now: () => this.now,
      watchers: {
        notify: () => {},
        hasReaders: () => false,
        hasLiveReaders: () => false,
        pinged: (line) => (this.life.line?.line === line ? this.life.line.pinged : undefined),
        fence: () => this.breakLine(),
      },
      firstEpoch: getFirstEpoch,
    });
  }

  hold(epoch: number, turn: string, head: number, inbox: readonly InboxMessage[]): void {
    const before = this.holder;
    if (before && before.epoch < epoch && this.mayAct(before) && this.storage.head() > 0)
      this.overlaps = true;
    const ids = inbox.map(({ id }) => id);
    this.holder = { epoch, turn, seq: head, inbox: ids, heard: this.now, pinged: this.now };
  }

  /** Returns whether the holder may act, by its own clock. */
  mayAct({ heard, pinged }: Holder): boolean {
    const deadline = Math.min(Math.max(heard, pinged) + 0.75 * LEASE_MS, heard + 3 * 0.75 * LEASE_MS);
    return this.now < deadline;
  }

  /** Closes the holder's line to the current instance of the object, which is notified later. */
  breakLine(): void {
    const { line, closed } = this.life;
    if (!line) return;
    line.isOpen = false;
    closed.push(line);
    this.life.line = undefined;
  }
}

type Step = (scene: Scene) => void;

function startFor({ draw, turns, step }: Scene): TurnStart {
  const turn = draw([`t${step}`, `t${step}`, `t${step}`, turns.at(-1) ?? 't0', turns.at(-3) ?? 't0']);
  turns.push(turn);
  return {
    ...createTurnStart(turn),
    whenBusy: draw([
      undefined,
      'queue',
      'steer',
      { steer: turns.at(-1) ?? 't0' },
      { steer: turns.at(-2) ?? 't0' },
    ]),
    delayMs: draw([undefined, undefined, undefined, undefined, 0, 5_000, 50_000]),
    retainMs: draw([undefined, undefined, undefined, 1_000, 100_000]),
  };
}

const REFUSAL_STATUSES: readonly string[] = ['busy', 'suspended', 'full', 'key-reused'];

const accept: Step = (scene) => {
  const start = startFor(scene);
  if (!REFUSAL_STATUSES.includes(scene.ledger.accept(start).status)) scene.taken.add(start.turn);
};

const begin: Step = (scene) => {
  const start = startFor(scene);
  const answer = scene.ledger.begin({ start, nonce: `n${scene.step}`, reader: READER });
  if (!REFUSAL_STATUSES.includes(answer.status)) scene.taken.add(start.turn);
  if (answer.status === 'leased') scene.hold(answer.epoch, start.turn, answer.page.head, answer.inbox);
};

const resume: Step = (scene) => {
  const turn = scene.storage.lease().turn ?? 't0';
  const answer = scene.ledger.resume({ turn, nonce: `n${scene.step}`, reader: READER });
  if (answer.status === 'leased') scene.hold(answer.epoch, turn, answer.page.head, answer.inbox);
};

/**
 * The data that a holder stores: at most one event, waits, scheduled turns, and the messages that it has
 * read.
 */
function drawChange({ draw, step, waits }: Scene, { turn, inbox }: Holder): AppendData {
  const isRead = draw([true, true, false]);
  if (draw([true, false, false, false])) return { events: [], ...(isRead && { inboxRead: inbox }) };
  const wait = `w${step}`;
  const asks = draw([true, false]);
  if (asks) waits.push(wait);
  const after = draw([0, 5_000]);
  return {
    events: [createEventRow(turn, `e${step}`)],
    ...(isRead && { inboxRead: inbox }),
    ...(asks && { expiries: [{ wait, after: draw([1_000, 60_000]) }] }),
    ...(draw([true, false, false, false]) && {
      scheduled: [{ started: createEventRow(`c${step}`, 'start', 'turn-started'), after }],
    }),
  };
}

function send(scene: Scene, release?: AppendData['release']): void {
  const { holder, ledger, taken, turns } = scene;
  if (!holder) return;
  const change: AppendData = { ...drawChange(scene, holder), ...(release && { release }) };
  scene.sent = [holder.epoch, holder.seq + 1, change];
  const answer = ledger.append(...scene.sent);
  if (answer.status !== 'appended' || release) scene.holder = undefined;
  if (answer.status !== 'appended') return;
  holder.seq = answer.head;
  holder.heard = scene.now;
  holder.inbox = answer.inbox.map(({ id }) => id);
  for (const { started } of change.scheduled ?? []) {
    taken.add(started.turn);
    turns.push(started.turn);
  }
}

const release: Step = (scene) =>
  send(scene, scene.draw(['ended', 'ended', 'ended', 'suspended', 'suspended', 'yielded']));

const renewLease: Step = ({ holder, ledger, now }) => {
  if (holder && ledger.renew(holder.epoch).status === 'renewed') holder.heard = now;
};

const openLine: Step = (scene) => {
  const { holder, ledger, life } = scene;
  const line = holder ? ledger.clock.lineOpened(holder.epoch) : 0;
  if (!holder || line === 0) return;
  scene.breakLine();
  holder.line = { epoch: holder.epoch, line, pinged: null, isOpen: true };
  life.line = holder.line;
};

/** A line to a replaced instance of the object still accepts pings. */
const pingLine: Step = ({ holder, now }) => {
  if (!holder?.line?.isOpen) return;
  holder.line.pinged = now;
  holder.pinged = now;
};

const closeLine: Step = (scene) => scene.breakLine();

/** Notifies the object of the closed lines. */
const reportCloses: Step = ({ life, ledger }) => {
  for (const closed of life.closed.splice(0)) ledger.clock.lineClosed(closed);
};

const appendAgain: Step = ({ ledger, sent }) => {
  if (sent) ledger.append(...sent);
};

const post: Step = ({ ledger, storage, draw, turns, waits }) => {
  const turn = draw([storage.lease().turn ?? 't0', turns.at(-1) ?? 't0', turns.at(-2) ?? 't0']);
  const wait = waits.at(-1) ?? 'w0';
  const kind = draw<InboxMessageKind>(['cancel', 'answer', 'late']);
  if (kind === 'answer') ledger.post({ kind, turn, body: wait, answers: { wait, bodyHash: 'h' } });
  else ledger.post({ kind, turn, body: '{}' });
};

const fireAlarm: Step = (scene) => {
  while (scene.alarm !== null && scene.alarm <= scene.now) {
    scene.alarm = null;
    scene.ledger.alarm();
  }
};

const passTime: Step = (scene) => {
  scene.now += scene.draw([10, 1_000, 5_000, 9_000, 21_000, 200_000]);
  if (scene.draw([true, true, true, false])) fireAlarm(scene);
};

const fireAlarmEarly: Step = ({ ledger }) => void ledger.alarm();

/** Reads a turn, as a waiting client does. This restores a lost alarm. */
const readTurn: Step = ({ ledger, storage }) =>
  void ledger.read({ from: 1, turn: storage.lease().turn ?? 't0' });

/** The object loses its memory, but keeps its lines. */
const hibernateObject: Step = (scene) => {
  scene.ledger = scene.restarted();
};

/** The lines are lost too, without notice. The platform may still answer pings from their other ends. */
const crashHolder: Step = (scene) => {
  const { line } = scene.life;
  if (line) line.isOpen = scene.draw([true, false]);
  scene.life = { closed: [] };
  scene.ledger = scene.restarted();
};

const erase: Step = (scene) => {
  if (!scene.draw([true, false, false])) return;
  scene.ledger.erase();
  scene.holder = undefined;
};

const STEPS: readonly [Step, ...Step[]] = [
  ...[
    accept,
    accept,
    accept,
    begin,
    resume,
    resume,
    (scene: Scene) => send(scene),
    (scene: Scene) => send(scene),
  ],
  ...[
    release,
    release,
    release,
    post,
    post,
    passTime,
    passTime,
    fireAlarm,
    fireAlarmEarly,
    hibernateObject,
    crashHolder,
    renewLease,
    openLine,
    openLine,
    pingLine,
    pingLine,
    pingLine,
    pingLine,
    closeLine,
    reportCloses,
    reportCloses,
    readTurn,
    appendAgain,
    appendAgain,
    erase,
  ],
] as [Step, ...Step[]]; // the list is not empty

const WAITING_KINDS: readonly string[] = ['message', 'steer', 'scheduled'];

/** Yields the violated invariants. */
function* findBrokenInvariants({ storage, alarm, now, taken, overlaps }: Scene): Iterable<string> {
  if (overlaps) yield 'a lease that was granted while another holder could act';
  if (storage.head() === 0) {
    if (alarm !== null) yield 'an alarm without a session';
    return;
  }
  const lease = storage.lease();
  const alarms = storage.alarms.all();
  const messages = storage.inbox.messages();
  const waiting = messages.filter(({ kind }) => WAITING_KINDS.includes(kind));
  const isDue = (kind: string, ref: string): boolean =>
    alarms.some((entry) => entry.kind === kind && entry.ref === ref);
  const needsHolder = lease.turn !== null && lease.state !== 'suspended';
  if (needsHolder && lease.due === null) yield 'an open turn without a scheduled check';
  if (!needsHolder && lease.due !== null) yield 'a scheduled check of a turn that is over';
  if (lease.turn === null && waiting.some(({ kind }) => kind !== 'scheduled'))
    yield 'a message that waits behind no turn';
  if (waiting.some(({ kind, turn }) => kind === 'scheduled' && !isDue('start', turn))) {
    yield 'a scheduled turn that never starts';
  }
  // The turn of a known holder is checked within one term, or within three if it has a line.
  const look = lease.line > 0 ? 3 * LEASE_MS : LEASE_MS;
  const turnDue = lease.state === 'held' ? Math.max(lease.due ?? 0, now + look) : lease.due;
  const first = Math.min(...alarms.map(({ due }) => due), turnDue ?? Infinity);
  if (first < Infinity && (alarm === null || alarm > Math.max(first, now))) yield 'an alarm that is too late';
  const left = messages.filter(
    ({ turn, kind }) => turn === lease.turn && !['message', 'scheduled', 'late'].includes(kind),
  );
  if (lease.state === 'suspended' && left.length > 0) yield 'a message that no holder will receive';
  if (new Set(waiting.map(({ turn }) => turn)).size < waiting.length) yield 'a turn that waits twice';
  const rows = [...storage.events({ from: 1, limit: Number.MAX_SAFE_INTEGER })];
  const starts = rows.filter(({ type }) => type === 'turn-started').map(({ turn }) => turn);
  if (new Set(starts).size < starts.length) yield 'a turn that started twice';
  const isWaiting = (turn: string): boolean => waiting.some((row) => row.turn === turn);
  for (const turn of taken) {
    const places = [
      starts.includes(turn),
      isWaiting(turn),
      storage.requests.find(`steered ${turn}`) !== null,
    ];
    if (places.filter(Boolean).length !== 1)
      yield `a turn that is in ${places.filter(Boolean).length} places`;
  }
}

const passPart: Step = (scene) => {
  scene.now += LEASE_MS * scene.draw([0.05, 0.1, 0.2, 0.4, 0.4, 1]);
};

/** Steps for a turn whose holder keeps its lease with pings. */
const PING_STEPS: typeof STEPS = [
  ...[passPart, passPart, passPart, pingLine, pingLine, pingLine, openLine, openLine, resume, resume],
  ...[
    closeLine,
    reportCloses,
    hibernateObject,
    crashHolder,
    renewLease,
    (scene: Scene) => send(scene),
    readTurn,
  ],
] as [Step, ...Step[]]; // the list is not empty

/** Returns the invariants that the first failing step violates. */
function findFirstBreak(numbers: readonly number[], steps = STEPS): string | undefined {
  const scene = new Scene(numbers);
  for (scene.step = 1; scene.step <= 40; scene.step += 1) {
    if (scene.holder === undefined && steps === PING_STEPS) begin(scene);
    scene.draw(steps)(scene);
    if (scene.storage.head() === 0) scene.taken.clear();
    for (const what of findBrokenInvariants(scene)) return `${what}, after step ${scene.step}`;
  }
  return undefined;
}

it('a session can always continue, and a turn is never lost or run twice', () => {
  const numbers = fc.array(fc.nat({ max: 999_999 }), { minLength: 40, maxLength: 400 });
  fc.assert(
    fc.property(numbers, (drawn) => {
      expect(findFirstBreak(drawn)).toBeUndefined();
    }),
    { seed: 20_261_122, numRuns: 1_500 },
  );
}, 30_000);

it('a lease is never granted while another holder can act, even if its line breaks or its object is reset', () => {
  const numbers = fc.array(fc.nat({ max: 999_999 }), { minLength: 60, maxLength: 400 });
  fc.assert(
    fc.property(numbers, (drawn) => {
      expect(findFirstBreak(drawn, PING_STEPS)).toBeUndefined();
    }),
    { seed: 20_261_129, numRuns: 3_000 },
  );
}, 30_000);

it('a former holder’s line that closes late does not affect the next holder', () => {
  const scene = new Scene([0]);
  begin(scene);
  openLine(scene);
  scene.now += LEASE_MS + 20;
  scene.step += 1;
  resume(scene);
  expect(scene.holder?.epoch).toBe(2);
  openLine(scene);
  reportCloses(scene);
  for (let i = 0; i < 3; i += 1) {
    scene.now += LEASE_MS * 0.6;
    pingLine(scene);
  }
  scene.step += 1;
  resume(scene);
  expect(scene.holder?.epoch).toBe(2);
});
