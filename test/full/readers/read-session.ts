/** Many clients that read one session of a Worker during a turn. */
import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { readWorkerdCpu } from '../../bench/workerd-cpu.ts';
import { createChance } from '../process/chance.ts';
import type { RunningWorker } from '../process/start-worker.ts';
import type { ReadersOptions } from './options.ts';
import { computeWorkSince, type ObjectWork } from './work.ts';

/** The data that one reader received. */
export interface ReaderRecord {
  /** The events with their ids, in the order in which they arrived. */
  readonly events: readonly string[];
  /** The number of times that its connection was cut. */
  readonly cuts: number;
  /** The text of each reply on each connection, in the order in which it arrived. */
  readonly texts: readonly ShownText[];
}

/** The text of a reply that a reader received on one connection. */
interface ShownText {
  /** The index of the reply in the session, from 0. */
  readonly reply: number;
  readonly text: string;
}

/** The results of a turn: its readers, and the work of its object. */
export interface TurnResults {
  readonly reads: readonly ReaderRecord[];
  /** The events in the journal. */
  readonly journal: readonly JournalEvent[];
  readonly work: ObjectWork;
  /** The duration of the turn, in ms. */
  readonly ms: number;
  /** The CPU time of the process during the turn, in ms. It includes the object and all Workers. */
  readonly cpuMs: number;
}

interface JournalEvent {
  readonly seq: number;
  readonly type: string;
  readonly text?: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Runs a turn in a new session with this many readers. Some of their connections are cut. @throws Error if
 * the run fails for a reason other than a violated guarantee.
 */
export async function readTurn(
  worker: RunningWorker,
  session: string,
  {
    readers,
    cut,
    ...speech
  }: Omit<ReadersOptions, 'readers'> & { readonly readers: number; readonly cut: number },
): Promise<TurnResults> {
  const url = new URL(`/agents/speaker/sessions/${session}`, worker.url).href;
  await say(url, { replies: 1, words: 1, pace: 0 });
  const chance = createChance(speech.seed);
  const lasts = speech.replies * speech.words * speech.pace;
  const opened = Array.from({ length: readers }, (_, index) => {
    const cuts =
      index < cut ? Array.from({ length: chance.between(1, 3) }, () => chance.between(0, lasts)) : [];
    return follow(
      `${url}/events`,
      cuts.toSorted((a, b) => a - b),
    );
  });
  await Promise.all(opened.map(({ isOpen }) => isOpen));
  const fetchWork = async (): Promise<ObjectWork> =>
    (await (await fetch(new URL(`/work?session=${session}`, worker.url))).json()) as ObjectWork;
  const before = { work: await fetchWork(), cpu: readWorkerdCpu(), at: performance.now() };
  for (const { begin } of opened) begin();
  await say(url, speech);
  const reads = await Promise.all(opened.map(({ read }) => read));
  const ms = performance.now() - before.at;
  const cpuMs = (readWorkerdCpu() - before.cpu) * 1_000;
  const work = computeWorkSince(before.work, await fetchWork());
  const page = (await (await fetch(`${url}/events`)).json()) as {
    readonly events: readonly JournalEvent[];
  };
  return { reads, journal: page.events, work, ms, cpuMs };
}

async function say(
  url: string,
  { replies, words, pace }: Pick<ReadersOptions, 'replies' | 'words' | 'pace'>,
) {
  const response = await fetch(`${url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: JSON.stringify({ replies, words, pace }) }),
  });
  const { outcome } = (await response.json()) as { readonly outcome?: unknown };
  if (outcome !== 'completed')
    throw new Error(`The turn did not complete: status ${response.status}, outcome ${String(outcome)}.`);
}

/** The type of the event that ends a turn. Reading ends at its second occurrence. */
const LAST_EVENT_TYPE = 'turn-ended';
const TURN_COUNT = 2;

/**
 * Reads a session until its second turn has ended. @param cuts The times at which its connection is cut, in ms
 * after the start.
 */
function follow(url: string, cuts: readonly number[]) {
  const opened = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const events: string[] = [];
  const texts: ShownText[] = [];
  let [last, ended, count, replied] = ['', 0, 0, 0];
  let isShown = false;
  const take = ({ id, event = '', data }: EventSourceMessage): void => {
    if (id !== undefined) {
      last = id;
      events.push(`${id} ${event} ${data}`);
      if (event === LAST_EVENT_TYPE) ended += 1;
      if (event !== 'model-replied') return;
      replied += 1;
      isShown = false;
    } else if (event === 'text-delta') {
      const { text } = JSON.parse(data) as { readonly text: string };
      const before = isShown ? texts.pop() : undefined;
      isShown = true;
      texts.push({ reply: replied, text: `${before?.text ?? ''}${text}` });
    }
  };
  /** Reads until the connection is cut or all events have arrived. */
  const connect = async (signal: AbortSignal): Promise<void> => {
    const headers = { accept: 'text/event-stream', ...(last !== '' && { 'last-event-id': last }) };
    const response = await fetch(url, { headers, signal });
    if (!response.ok || !response.body) throw new Error(`The event stream returned ${response.status}.`);
    const parser = createParser({ onEvent: take });
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      parser.feed(chunk);
      if (ended > 0) opened.resolve();
      if (ended === TURN_COUNT) return;
    }
  };
  const readStream = async (): Promise<ReaderRecord> => {
    let pause = 0;
    for (const at of [...cuts, Number.POSITIVE_INFINITY]) {
      const cut = new AbortController();
      const ending = Number.isFinite(at)
        ? begun.promise.then(() => delay(at - pause)).then(() => cut.abort())
        : undefined;
      ending?.catch(() => {});
      await connect(AbortSignal.any([cut.signal, AbortSignal.timeout(TIMEOUT_MS)])).catch((failure) => {
        if (!cut.signal.aborted) throw failure;
        count += 1;
      });
      if (ended === TURN_COUNT) break;
      isShown = false;
      pause = at;
    }
    return { events, cuts: count, texts };
  };
  return { isOpen: opened.promise, begin: begun.resolve, read: readStream() };
}

/** Returns the problems with the received data, one line each. */
export function findProblems({ reads, journal }: TurnResults): readonly string[] {
  const told = journal.map((event) => `${event.type} ${JSON.stringify(event)}`).join('\n');
  const isOther = ({ events }: ReaderRecord): boolean =>
    events.map((event) => event.replace(/^\S+ /, '')).join('\n') !== told;
  const different = reads.filter(isOther).length;
  const replies = journal.flatMap(({ type, text = '' }) => (type === 'model-replied' ? [text] : []));
  const isBeginning = ({ reply, text }: ShownText): boolean => replies[reply]?.startsWith(text) === true;
  const garbled = reads.filter(({ texts }) => !texts.every(isBeginning)).length;
  // The first turn had ended before the readers connected.
  const whole = replies.slice(1).join('');
  const joinTexts = ({ texts }: ReaderRecord): string => texts.map(({ text }) => text).join('');
  const incomplete = reads.filter((read) => read.cuts === 0 && joinTexts(read) !== whole).length;
  return [
    ...(different > 0 ? [`${different} readers end with other events than the journal has.`] : []),
    ...(garbled > 0 ? [`${garbled} readers were shown a text that is not the beginning of its reply.`] : []),
    ...(incomplete > 0
      ? [`${incomplete} readers that were not cut were not shown the text of every reply.`]
      : []),
  ];
}
