import { expect, onTestFinished, vi } from 'vitest';
import { type AgentConfig, defineAgent } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { withoutPlace } from '../../../fixtures/stored.ts';

/** A message of a hundred tokens, at the four bytes per token assumed for conversations. */
export const createLongMessage = (word: string): string => `${word} `.repeat(400).slice(0, 400);

/** Writes `Sum of {n}: ` and the first word of each message. */
export const joinFirstWords: NonNullable<SummaryOptions['summarize']> = (messages) =>
  `Sum of ${messages.length}: ${messages.map(({ text }) => text.split(' ')[0]).join(' ')}`;

export const SHOWN_SUMMARY = 'Summary of the conversation so far, whose messages are not shown any more:\n\n';

type AgentOverrides = Partial<Omit<AgentConfig<'clerk'>, 'name' | 'output'>>;

export const createAgentWith = (options: SummaryOptions | undefined, more: AgentOverrides = {}) =>
  defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    ...more,
    use: [...(options ? [summarize(options)] : []), ...(more.use ?? [])],
  });

/** A session of one agent. `shown` returns the messages of the last request to its model. */
export function startSession(
  replies: readonly ScriptedReply[],
  options: SummaryOptions | undefined,
  more: AgentOverrides = {},
  warm = false,
) {
  const session = createTestSession(createAgentWith(options, more), { replies, warm });
  return { ...session, shown: () => session.requests.at(-1)?.messages };
}

type CompactionEvent = Extract<SessionEvent, { type: 'conversation-cut' }>;

export const readCompactions = async (session: Pick<TestSession, 'events'>): Promise<CompactionEvent[]> =>
  (await session.events()).flatMap((event) =>
    event.type === 'conversation-cut' && event.summary ? [withoutPlace(event)] : [],
  );

/** The event about a dropped summary. */
export type DroppedEvent = Extract<SessionEvent, { type: 'module-event' }>;

/** The expected event about a dropped summary. */
export const createDroppedEvent = (
  fact: { readonly reason: string; readonly from: number; readonly tokens: number },
  more: Partial<DroppedEvent> = {},
) => ({
  type: 'module-event',
  turn: expect.any(String),
  module: 'compaction',
  facts: [{ slice: 'compaction', fact, at: expect.any(Number) }],
  ...more,
});

export const readDroppedSummaries = async (session: Pick<TestSession, 'events'>): Promise<DroppedEvent[]> =>
  (await session.events()).flatMap((event) =>
    event.type === 'module-event' && event.module === 'compaction' ? [withoutPlace(event)] : [],
  );

/** Captures errors logged from now on instead of printing them. */
export function captureErrors() {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return () => log.mock.calls;
}
