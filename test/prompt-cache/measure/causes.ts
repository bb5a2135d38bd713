/**
 * Explains why a request departs from the previous one, using only the events in the session's journal
 * between the two.
 */
import type { SessionEvent } from '../../../src/journal/entry.ts';
import type { Departure } from './departures.ts';
import { type CreatedFact, collectFacts, listEvents, listEventsOfType, type Span } from './journal-span.ts';
import { LATE_TOOLS_KEY } from './request-parts.ts';

/** The departures that an event explains, named as in the documentation. */
interface Cause {
  readonly words: string;
  readonly explains: (departure: Departure) => boolean;
}

/** A departure that no event explains. */
export const UNEXPLAINED = 'unexplained';

/** Returns the cause of each departure of a request. */
export function findCauses(departures: readonly Departure[], span: Span): readonly string[] {
  const causes = [
    ...findToolsCauses(span),
    ...findInstructionsCauses(span),
    ...findLastAnswerCauses(span),
    ...findShortenedCauses(span),
  ];
  return departures.map((departure) => {
    const found = causes.filter(({ explains }) => explains(departure)).map(({ words }) => words);
    return found.length > 0 ? [...new Set(found)].join('; ') : UNEXPLAINED;
  });
}

type ToolsChangedEvent = Extract<SessionEvent, { type: 'tools-changed' }>;

/**
 * The causes in a change of tools. If the conversation announces tools, the announcement and the signed
 * thoughts after other tools can also depart.
 */
function findToolsCauses(span: Span): readonly Cause[] {
  return listEventsOfType(span, 'tools-changed').map((change): Cause => {
    const signs = span.events.some((event) => event.type === 'model-replied' && event.asked?.prefix);
    return {
      words: `${describeChange(change, span)}: ${formatCounts(change)}`,
      explains: ({ part, key }) =>
        part === 'tools' ||
        (part === 'messages' &&
          (key === LATE_TOOLS_KEY || (signs && (key === 'assistant' || key === 'model')))),
    };
  });
}

function describeChange({ cause }: ToolsChangedEvent, span: Span): string {
  switch (cause) {
    case 'turn':
      return hasOpened(span)
        ? 'another turn began, and what unfolding tools had opened in the one before is closed'
        : 'another turn began';
    case 'deploy':
      return 'the code was changed';
    case 'session': {
      const words = [
        ...collectFacts(span).map((fact) => describeFact(fact, span)),
        ...listEventsOfType(span, 'tools-listed').map(() => LISTED_CAUSE),
      ];
      return words.length > 0 ? [...new Set(words)].join(', and ') : 'an injection strategy decided so';
    }
  }
}

const LISTED_CAUSE = 'a source outside told which tools it has';

/** Returns `true` if an earlier call opened an unfolding tool for one turn. */
const hasOpened = (span: Span): boolean =>
  collectFacts({ ...span, after: -1 }).some(
    ({ slice, fact }) => slice === 'unfolding' && findText(fact, 'scope') !== 'session',
  );

/** Describes the effect of a call on the offered tools, based on the fact that the call stored. */
function describeFact(made: CreatedFact, span: Span): string {
  const { slice, fact } = made;
  switch (slice) {
    case 'unfolding':
      return `the unfolding tool \`${findText(fact, 'facade')}\` gave its place to what is inside`;
    case 'chaining':
      return `an object was found that brings tools${formatType(fact)}`;
    case 'listings':
      return LISTED_CAUSE;
    case 'playbooks':
      return `the playbook came further by \`${made.tool}\``;
    case 'state-machines':
      return `the state machine went${describeFactSource(made, span)} to '${findText(fact, 'state')}'`;
    default:
      return `what \`${slice}\` remembers is another by \`${made.tool}\``;
  }
}

const formatType = (fact: unknown): string => {
  const type = findText(fact, 'type');
  return type === undefined ? '' : ` (${type})`;
};

/** Returns the previous state of the machine, if a fact contains it. */
function describeFactSource({ seq, fact, slice, loop }: CreatedFact, span: Span): string {
  const key = findText(fact, 'key');
  const earlier = collectFacts({ ...span, after: -1 }).findLast(
    (one) => one.slice === slice && one.loop === loop && one.seq < seq && findText(one.fact, 'key') === key,
  );
  const state = findText(earlier?.fact, 'state');
  return state === undefined ? '' : ` from '${state}'`;
}

function formatCounts({ came = [], went = [], all }: ToolsChangedEvent): string {
  const names = new Set(came.map(({ name }) => name));
  const replaced = went.filter(({ name }) => names.has(name)).length;
  const counts = [
    [came.length - replaced, 'came'],
    [went.length - replaced, 'went'],
    [replaced, 'changed'],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return told.length > 0 ? told.join(', ') : `${all?.length ?? 0} are offered now`;
}

/** The causes in instructions. Each reply stores their hash, because they can be a function. */
function findInstructionsCauses(span: Span): readonly Cause[] {
  const [before, now] = [span.after, span.upTo].map((seq) => {
    const event = span.events.find((one) => one.seq === seq);
    return event?.type === 'model-replied' ? event.asked?.instructions : undefined;
  });
  if (before === undefined || now === undefined || before === now) return [];
  const since = collectFacts(span).map((fact) => describeFact(fact, span));
  const told = since.length > 0 ? `: ${[...new Set(since)].join(', and ')}` : '';
  const words = `the instructions are a function, which answered other words${told}`;
  return [{ words, explains: ({ part }) => part === 'system' }];
}

/** The causes in a final answer. Its instructions are not part of the conversation. */
function findLastAnswerCauses(span: Span): readonly Cause[] {
  const asked = span.events.find(({ seq }) => seq === span.after);
  if (asked?.type !== 'model-replied' || !asked.last) return [];
  const words = 'the one before asked for a last answer at a limit, and that is said once';
  return [
    { words, explains: ({ part, what }) => part === 'messages' && (what === 'gone' || what === 'changed') },
  ];
}

/** The causes in a shortened conversation. */
function findShortenedCauses(span: Span): readonly Cause[] {
  const isMessageDeparture = ({ part }: Departure): boolean => part === 'messages';
  return [
    ...listEventsOfType(span, 'conversation-cut')
      .filter((event) => event.type === 'conversation-cut' && !event.summary)
      .map((): Cause => {
        return {
          words: 'the request was too long for the model, which is shown less since',
          explains: isMessageDeparture,
        };
      }),
    ...listEvents(span)
      .filter((event) => event.type === 'conversation-cut' && event.summary && span.frame === '')
      .map((): Cause => {
        return { words: 'a summary took the place of the oldest turns', explains: isMessageDeparture };
      }),
  ];
}

/** Returns a text member of a fact. Each kind defines the form of its facts. */
function findText(fact: unknown, name: string): string | undefined {
  if (typeof fact !== 'object' || fact === null) return undefined;
  const value: unknown = Reflect.get(fact, name);
  return typeof value === 'string' ? value : undefined;
}
