/** Reads the state of a session and reports it to the index of its owner. */
import type { EventPage } from '../../journal/event-page.ts';
import { parseKnownEvent } from '../../journal/event-rows.ts';
import { CUT_OFF, type EventType, type FinalOutcome, type StoredEvent } from '../../journal/events.ts';
import type { PricedUsage, UsageTotals } from '../../journal/reply-data.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { addUsage } from '../../journal/spending.ts';
import { MAX_PAGE_BYTES } from '../../session/fold-session.ts';
import { isJsonObject } from '../../tool/json.ts';
import type { OwnerIndex } from './owner-index.ts';
import type { IndexedState, ReportedState, SessionKey, UsageSinceReport } from './reports.ts';
import { TITLE_SLICE, toLine } from './titles.ts';

type SessionReader = Pick<SessionPort, 'read'>;

/** The maximum number of attempts if other refreshes overtake this one. */
const MAX_TRIES = 10;

/**
 * Reports the current state of a session. When it resolves, the index has all events from before the call.
 * Retries if another refresh overtakes it.
 *
 * @throws Error if the session or the index cannot be reached.
 */
export async function refreshIndex(
  { ask, ...of }: OwnerIndex,
  port: SessionReader,
  { agent, session }: SessionKey,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await ask(async (index) => index.known({ agent, session }));
    const standing = await readState(port, known);
    if (standing === 'changed') continue;
    if (!standing && known.seq === 0) return;
    const { version } = known;
    const report = { ...of, agent, session, version, standing };
    if (await ask(async (index) => index.report(report))) return;
  }
  throw new Error(`session ${session} was changed by other reports ${MAX_TRIES} times`);
}

/** The events that the index uses. */
const INDEXED_EVENT_TYPES: readonly EventType[] = [
  'session-opened',
  'session-forked',
  'turn-started',
  'model-replied',
  'tool-call-suspended',
  'module-event',
  'conversation-cut',
  'turn-ended',
];

/** The events that make a session unread. Excludes events of modules, such as a title. */
const UNREAD_EVENT_TYPES: readonly EventType[] = [
  'turn-started',
  'model-replied',
  'tool-call-suspended',
  'turn-ended',
];

/**
 * The state to report. It is `null` if the session does not exist, and `changed` if the session was erased or
 * created meanwhile.
 */
type RefreshResult = ReportedState | 'changed' | null;

async function readState(port: SessionReader, known: IndexedState): Promise<RefreshResult> {
  const page = await readPage(port, known.seq);
  if (!page) return null;
  if (getIncarnation(page) === known.incarnation) return readRemaining(port, page, known);
  const first = known.seq === 0 ? page : await readPage(port, 0);
  return (
    first && readRemaining(port, first, { version: 0, incarnation: getIncarnation(first), seq: 0, model: '' })
  );
}

const getIncarnation = ({ incarnation = '' }: EventPage): string => incarnation;

const readPage = (port: SessionReader, after: number): Promise<EventPage | null> =>
  port.read({
    from: after + 1,
    types: { names: INDEXED_EVENT_TYPES, until: Number.MAX_SAFE_INTEGER },
    maxBytes: MAX_PAGE_BYTES,
  });

async function readRemaining(
  port: SessionReader,
  first: EventPage,
  known: IndexedState,
): Promise<RefreshResult> {
  const since = new SessionChanges(known);
  for (let page = first; ; ) {
    for (const event of page.rows.flatMap(parseKnownEvent)) since.count(event);
    if (page.next === null) return since.standing(page);
    const next = await readPage(port, page.next - 1);
    if (!next || getIncarnation(next) !== known.incarnation) return 'changed';
    page = next;
  }
}

class SessionChanges {
  readonly #incarnation: string;
  /** `true` if the session was not reported before. */
  readonly #isFirst: boolean;
  readonly #used = new Map<string, UsageSinceReport & { turns: number; readonly usage: UsageTotals }>();
  #model: string;
  /** The last copied event of a fork. Copies were counted in the original session. */
  #copied = 0;
  #outcome: FinalOutcome | undefined;
  #openedAt: number | undefined;
  #lastActivity = 0;
  #news = 0;
  #turn: string | undefined;
  #forkOf: string | undefined;
  #words: string | undefined;
  #title: string | null | undefined;

  constructor({ incarnation, model, seq }: IndexedState) {
    this.#incarnation = incarnation;
    this.#isFirst = seq === 0;
    this.#model = model;
  }

  count(event: StoredEvent): void {
    // Titles, feedback and reads by operators do not count as activity. A turn that contains such an event
    // still counts through its other events.
    if (event.type !== 'module-event') this.#lastActivity = Math.max(this.#lastActivity, event.at);
    if (event.seq === 1) this.#openedAt = event.at;
    if (UNREAD_EVENT_TYPES.includes(event.type)) this.#news = event.seq;
    switch (event.type) {
      case 'session-forked':
        this.#copied = event.upTo;
        this.#forkOf = event.from;
        break;
      case 'turn-started':
        this.#turn = event.turn;
        if (this.#isFirst) this.#words ??= toLine(event.message);
        break;
      case 'model-replied':
        if (!event.planned && event.finish !== CUT_OFF) this.#model = event.model;
        this.#use(event, event.model, event.usage);
        break;
      case 'module-event':
        this.#title = getTitle(event, this.#title);
        this.#use(event, '', event.usage);
        break;
      case 'conversation-cut':
        this.#use(event, '', event.usage);
        break;
      case 'turn-ended':
        this.#outcome = event.outcome;
        if (event.seq > this.#copied) this.#on(event.at, this.#model).turns += 1;
        break;
    }
  }

  #use({ at, seq }: StoredEvent, model: string, usage: PricedUsage | undefined): void {
    if (usage && seq > this.#copied) addUsage(this.#on(at, model).usage, usage);
  }

  #on(at: number, model: string) {
    const day = new Date(at).toISOString().slice(0, 10);
    const key = JSON.stringify([day, model]);
    const found = this.#used.get(key) ?? { day, model, turns: 0, usage: { inputTokens: 0, outputTokens: 0 } };
    this.#used.set(key, found);
    return found;
  }

  standing({ head, openTurn }: EventPage): ReportedState {
    return {
      incarnation: this.#incarnation,
      seq: head,
      open: openTurn?.state,
      outcome: this.#outcome,
      model: this.#model,
      openedAt: this.#openedAt,
      lastActivity: this.#lastActivity,
      turn: this.#turn,
      forkOf: this.#forkOf,
      news: this.#news,
      words: this.#words,
      title: this.#title,
      used: [...this.#used.values()],
    };
  }
}

/** Returns the title that an event sets, `null` if it removes the title, or else the earlier title. */
function getTitle<Before>(
  { module, facts }: Extract<StoredEvent, { type: 'module-event' }>,
  before: Before,
): string | null | Before {
  const fact =
    module === TITLE_SLICE.module && facts.findLast(({ slice }) => slice === TITLE_SLICE.name)?.fact;
  const title = isJsonObject(fact) ? fact.title : undefined;
  return title === null || typeof title === 'string' ? title : before;
}
