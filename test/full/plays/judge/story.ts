import type { ResultData } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { planIn, type ToolName } from '../app/plan.ts';
import type { Finding } from './witness.ts';

/** What the model was shown of a call: that it was done, that nobody knows, or that it was not run. */
export type Told = 'done' | 'unknown' | 'not-run' | 'failed';

/** A call, by the journal. */
export interface CallStory {
  readonly id: string;
  readonly tool: ToolName;
  readonly label: string;
  readonly turn: string;
  isStarted: boolean;
  /** Another invocation took over between its start and its end. */
  isTakenOver: boolean;
  readonly told: Told[];
  readonly results: ResultData[];
}

/** A turn, by the journal. */
export interface TurnStory {
  readonly turn: string;
  /** The event that began it. */
  readonly seq: number;
  /** The turn whose message it tries again. */
  readonly retries: string | undefined;
  /** The messages that it takes in, the first and those that steer it, each with the turn that it was accepted as. */
  readonly messages: { readonly name: string; readonly as: string }[];
  readonly outcomes: string[];
  /** What failed it. */
  error: { readonly type: string; readonly message: string } | undefined;
  isCancelled: boolean;
  readonly calls: Map<string, CallStory>;
  readonly scheduled: string[];
  /** Types of events that came after its end. */
  readonly afterEnd: string[];
  takeOvers: number;
}

/** The turns of a journal, in the order of their starts. */
export function storyOf(events: readonly StoredEvent[]): readonly TurnStory[] {
  const turns = new Map<string, TurnStory>();
  for (const event of events) {
    if (!('turn' in event)) continue;
    if (event.type === 'turn-started' && !turns.has(event.turn)) turns.set(event.turn, begun(event));
    const story = turns.get(event.turn);
    if (!story) continue;
    // That it was forked may be noted at any time.
    if (story.outcomes.length > 0 && event.type !== 'module-event') story.afterEnd.push(event.type);
    take(story, event);
  }
  return [...turns.values()];
}

const begun = ({
  turn,
  seq,
  message,
  retries,
}: Extract<StoredEvent, { type: 'turn-started' }>): TurnStory => ({
  turn,
  seq,
  retries,
  messages: retries === undefined ? [{ name: nameOf(message), as: turn }] : [],
  outcomes: [],
  error: undefined,
  isCancelled: false,
  calls: new Map(),
  scheduled: [],
  afterEnd: [],
  takeOvers: 0,
});

const nameOf = (message: string): string => planIn(message)?.message ?? message;

/** Says how the calls ended of a turn that nobody could read: not by events of their own, but as its end is folded. */
export function closeUnread(turns: readonly TurnStory[], closed: ReadonlyMap<string, ResultData>): void {
  for (const { error, calls } of turns) {
    if (error?.type !== 'stuck' || !error.message.includes(UNREAD)) continue;
    for (const call of calls.values()) {
      if (call.told.length > 0) continue;
      const result = closed.get(call.id);
      // Of a call inside of another one, nobody is told.
      call.told.push(result ? toldBy(result) : call.isStarted ? 'unknown' : 'not-run');
      if (result) call.results.push(result);
    }
  }
}

const UNREAD = 'could not be read';

/** What a call did after all is told once, before its end or, if its outcome was unknown, after it. */
export function judgeLate(events: readonly StoredEvent[], turns: readonly TurnStory[]): Finding[] {
  const calls = new Map(turns.flatMap((turn) => [...turn.calls]));
  const late = events.filter((event) => event.type === 'late-result-received');
  const times = Map.groupBy(late, ({ call }) => call);
  return [...times].flatMap(([id, all]) => {
    const find = (what: string): Finding => ({ rule: 'late result', where: id, what });
    const [word] = calls.get(id)?.told ?? [];
    const isInTime = all.every(({ open }) => open);
    return [
      ...(all.length > 1 ? [find(`It was received ${all.length} times.`)] : []),
      ...(word === 'unknown' || isInTime ? [] : [find(`The model had been shown ${word}.`)]),
    ];
  });
}

function take(story: TurnStory, event: StoredEvent): void {
  switch (event.type) {
    case 'turn-steered':
      story.messages.push({ name: nameOf(event.message), as: event.as });
      return;
    case 'turn-resumed':
      if (event.cause === 'expired') story.takeOvers += 1;
      for (const call of story.calls.values()) call.isTakenOver ||= call.isStarted && call.told.length === 0;
      return;
    case 'cancel-requested':
      story.isCancelled = true;
      return;
    case 'model-replied':
      for (const { id, name, input } of event.toolCalls)
        story.calls.set(id, callOf(story.turn, { id, name, input }));
      return;
    case 'tool-call-started': {
      const call = story.calls.get(event.call);
      if (call) call.isStarted = true;
      return;
    }
    case 'tool-call-ended': {
      const call = story.calls.get(event.call);
      call?.told.push(toldBy(event.result));
      call?.results.push(event.result);
      story.scheduled.push(...(event.changes?.scheduled ?? []).map(({ turn }) => turn));
      return;
    }
    case 'turn-ended':
      story.outcomes.push(event.outcome);
      story.error = event.error;
  }
}

function callOf(
  turn: string,
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: string },
): CallStory {
  const { label }: { label: string } = JSON.parse(input); // the planned model wrote it
  const tool = name as ToolName; // it calls no others
  return { id, tool, label, turn, isStarted: false, isTakenOver: false, told: [], results: [] };
}

/** What the model is told of an `idempotent` call that a cancel met while it ran. */
const IN_DOUBT = ' while it ran. It may have taken effect.';

function toldBy(result: ResultData): Told {
  if (result.type !== 'error') return result.withheld ? 'not-run' : 'done';
  // A loop that a decision has ended.
  if (result.signal) return 'not-run';
  switch (result.reason) {
    case 'unknown-outcome':
      return 'unknown';
    case 'cancelled':
      return result.message.endsWith(IN_DOUBT) ? 'unknown' : 'not-run';
    case 'declined':
    case 'skipped':
    case 'limit':
      return 'not-run';
    default:
      return 'failed';
  }
}
