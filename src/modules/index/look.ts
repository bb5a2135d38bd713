/** Looks at a session, and reports how it stands to the index of its owner. */
import type { EventPage } from '../../journal/event-page.ts';
import { parseKnown } from '../../journal/event-rows.ts';
import { CUT_OFF, type EventType, type FinalOutcome, type StoredEvent } from '../../journal/events.ts';
import type { PricedUsage, Totals } from '../../journal/reply-data.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { addUsage } from '../../journal/spending.ts';
import { PAGE_BYTES } from '../../session/fold-session.ts';
import { isJsonObject } from '../../tool/json.ts';
import type { OwnerIndex } from './owner-index.ts';
import type { Known, SessionKey, Standing, UsedSince } from './reports.ts';
import { TITLES, toLine } from './titles.ts';

type Reading = Pick<SessionPort, 'read'>;

/** How often a look is made again while other looks come first. */
const TRIES = 10;

/**
 * Reports how a session stands now. What was there before it began is in the index when it resolves: a look that another one has overtaken
 * is made again.
 *
 * @throws Error if the session or the index cannot be reached.
 */
export async function look(
  { ask, ...of }: OwnerIndex,
  port: Reading,
  { agent, session }: SessionKey,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = await ask(async (index) => index.known({ agent, session }));
    const standing = await standingOf(port, known);
    if (standing === 'changed') continue;
    if (!standing && known.seq === 0) return;
    const { version } = known;
    const report = { ...of, agent, session, version, standing };
    if (await ask(async (index) => index.report(report))) return;
  }
  throw new Error(`session ${session} was reported by others ${TRIES} times`);
}

/** What of a journal the index is made of. */
const NAMES: readonly EventType[] = [
  'session-opened',
  'session-forked',
  'turn-started',
  'model-replied',
  'tool-call-suspended',
  'module-event',
  'conversation-cut',
  'turn-ended',
];

/** What makes a session unread. What modules note, such as a title, does not. */
const NEWS: readonly EventType[] = ['turn-started', 'model-replied', 'tool-call-suspended', 'turn-ended'];

/** What a look finds. `null`: there is no such session. `changed`: it was erased, or begun, while it was read. */
type Found = Standing | 'changed' | null;

/** Reads what has happened since the last report. */
async function standingOf(port: Reading, known: Known): Promise<Found> {
  const page = await read(port, known.seq);
  if (!page) return null;
  if (incarnationOf(page) === known.incarnation) return readOn(port, page, known);
  const first = known.seq === 0 ? page : await read(port, 0);
  return first && readOn(port, first, { version: 0, incarnation: incarnationOf(first), seq: 0, model: '' });
}

const incarnationOf = ({ incarnation = '' }: EventPage): string => incarnation;

const read = (port: Reading, after: number): Promise<EventPage | null> =>
  port.read({
    from: after + 1,
    types: { names: NAMES, until: Number.MAX_SAFE_INTEGER },
    maxBytes: PAGE_BYTES,
  });

async function readOn(port: Reading, first: EventPage, known: Known): Promise<Found> {
  const since = new Since(known);
  for (let page = first; ; ) {
    for (const event of page.rows.flatMap(parseKnown)) since.count(event);
    if (page.next === null) return since.standing(page);
    const next = await read(port, page.next - 1);
    if (!next || incarnationOf(next) !== known.incarnation) return 'changed';
    page = next;
  }
}

/** What happened in a session since it was reported last. */
class Since {
  readonly #incarnation: string;
  /** Nothing of it was reported yet. */
  readonly #isFirst: boolean;
  readonly #used = new Map<string, UsedSince & { turns: number; readonly usage: Totals }>();
  #model: string;
  /** Events of a fork up to here are copies, which were counted where they happened. */
  #copied = 0;
  #outcome: FinalOutcome | undefined;
  #openedAt: number | undefined;
  #lastActivity = 0;
  #news = 0;
  #turn: string | undefined;
  #forkOf: string | undefined;
  #words: string | undefined;
  #title: string | null | undefined;

  constructor({ incarnation, model, seq }: Known) {
    this.#incarnation = incarnation;
    this.#isFirst = seq === 0;
    this.#model = model;
  }

  count(event: StoredEvent): void {
    // Titles, feedback and reads by operators are no activity. A turn in which a module records something has other events.
    if (event.type !== 'module-event') this.#lastActivity = Math.max(this.#lastActivity, event.at);
    if (event.seq === 1) this.#openedAt = event.at;
    if (NEWS.includes(event.type)) this.#news = event.seq;
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
        this.#title = titleIn(event, this.#title);
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

  standing({ head, openTurn }: EventPage): Standing {
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

/** Returns the title that an event sets, `null` if it takes that back, or the one before. */
function titleIn<Before>(
  { module, facts }: Extract<StoredEvent, { type: 'module-event' }>,
  before: Before,
): string | null | Before {
  const fact = module === TITLES.module && facts.findLast(({ slice }) => slice === TITLES.name)?.fact;
  const title = isJsonObject(fact) ? fact.title : undefined;
  return title === null || typeof title === 'string' ? title : before;
}
