/** A turn whose model speaks by the clock, and readers of its session in other invocations. */
import type { ChatModel } from '../../../../src/index.ts';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { createManualClock, type ManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import type { LeaseGrant, LiveMessage } from '../../../doors/journal.ts';
import {
  type FeedItem,
  followSession,
  LIVE_TEXT_PARTS,
  type TurnEnd,
  type TurnHost,
} from '../../../doors/session.ts';
import { LEASE_MS } from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

/** The pieces of a model's output, each with the ms that pass before it. */
export type SpokenPart = readonly (readonly [ms: number, text: string])[];

export interface LiveApp extends MemoryApp {
  readonly clock: ManualClock;
  /** For each request, whether the model was asked to stream. */
  readonly streamed: readonly boolean[];
  /** The live messages that were sent to the object, with the time since the start. */
  readonly sent: readonly { readonly at: number; readonly message: LiveMessage }[];
  /**
   * The connections that were opened: by the holder, by readers that receive live messages, and by other
   * readers.
   */
  readonly lines: readonly ('holder' | 'live' | 'reader')[];
  /** Starts a turn. */
  begin(host?: Partial<TurnHost>): Promise<StartedTurn>;
  /** Resumes the open turn in another invocation. */
  resumeRunning(turn: string, host?: Partial<TurnHost>): Promise<StartedTurn>;
  /** Follows the session from its next turn on. Resolves once the reader is connected. */
  read(): Promise<Reader>;
}

interface StartedTurn {
  readonly leased: LeaseGrant;
  readonly turn: string;
  readonly end: Promise<TurnEnd>;
}

export interface Reader {
  readonly items: readonly FeedItem[];
  /** The items that the reader received, as `toStory` lists them. */
  story(): readonly string[];
  leave(): void;
}

export interface LiveAppOptions extends Partial<Parameters<typeof createMemoryApp>[0]> {
  readonly speaks: readonly SpokenPart[];
}

const START = 1_000_000;

/** The first event of the second turn. */
const NEXT_SEQ = 5;

const USAGE = { inputTokens: 10, outputTokens: 5 };

/** A session in which one turn has ended. */
export async function createLiveApp({
  speaks,
  wrap = (port) => port,
  ...options
}: LiveAppOptions): Promise<LiveApp> {
  const clock = createManualClock(START);
  const streamed: boolean[] = [];
  const sent: { at: number; message: LiveMessage }[] = [];
  const lines: ('holder' | 'live' | 'reader')[] = [];
  const model: ChatModel = {
    name: 'speaking',
    async ask(_, { signal, onText }): Promise<ModelReply> {
      const spoken = speaks[streamed.push(onText !== undefined) - 1] ?? [];
      for (const [ms, text] of spoken) {
        if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
        if (signal.aborted) throw signal.reason;
        onText?.(text);
      }
      const text = spoken.map(([, piece]) => piece).join('');
      const call = /^call (\w+)/.exec(text)?.[1];
      const toolCalls = call === undefined ? [] : [{ id: 'p', name: call, input: '{}' }];
      return { text, toolCalls, finish: call === undefined ? 'stop' : 'tool-calls', usage: USAGE };
    },
  };
  const recordLines = (port: SessionPort): SessionPort => ({
    ...port,
    async watch(watcher) {
      lines.push(watcher.holder !== undefined ? 'holder' : watcher.onLive ? 'live' : 'reader');
      const line = await port.watch(watcher);
      const show = (message: LiveMessage): boolean => {
        sent.push({ at: clock.now() - START, message });
        return line.show(message);
      };
      return { ...line, show };
    },
  });
  const app = createMemoryApp({
    ...options,
    replies: ['Before.'],
    clock,
    leaseMs: LEASE_MS,
    wrap: (port) => wrap(recordLines(port)),
  });
  await app.say('Before?');
  const startTurn = async (leased: LeaseGrant, host: Partial<TurnHost>): Promise<StartedTurn> => {
    const end = app.run(leased, { agent: { ...app.agent, model }, ...LIVE_TEXT_PARTS, ...host });
    await clock.advance(0);
    return { leased, turn: leased.page.openTurn?.id ?? '', end };
  };
  return {
    ...app,
    clock,
    streamed,
    sent,
    lines,
    begin: async (host = {}) => startTurn(await app.lease('Go.'), host),
    resumeRunning: async (turn, host = {}) => startTurn(await app.resume(turn), host),
    read: async () => {
      const leave = new AbortController();
      const items: FeedItem[] = [];
      void followSession(
        { ...LIVE_TEXT_PARTS, port: app.port, clock, from: NEXT_SEQ, signal: leave.signal },
        (item) => {
          items.push(item);
        },
      );
      await clock.advance(0);
      return { items, story: () => toStory(items), leave: () => leave.abort() };
    },
  };
}

/** Lists events by their types, and live items by their texts. Joins consecutive pieces of a reply. */
export function toStory(items: readonly FeedItem[]): readonly string[] {
  const story: string[] = [];
  for (const item of items) {
    if (item.type === 'event') story.push(item.stored.type);
    else if (item.type === 'reply-restarted') story.push(`restarted ${item.reply}`);
    else if (item.type === 'progress') story.push(`progress ${item.status}`);
    else {
      const who = `${item.type === 'text-delta' ? '' : 'thinks '}${item.frame ? 'inside ' : ''}${item.reply}: `;
      const last = story.at(-1);
      if (last?.startsWith(who)) story.splice(-1, 1, last + item.text);
      else story.push(who + item.text);
    }
  }
  return story;
}

/** The time and the texts of each live message that was sent. */
export const listSentTexts = (app: LiveApp): (readonly [at: number, text: string])[] =>
  app.sent.map(({ at, message }) => [
    at,
    message.items.map(({ item }) => ('text' in item ? item.text : item.type)).join('|'),
  ]);
