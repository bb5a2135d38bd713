import { expect, onTestFinished, vi } from 'vitest';
import { type AgentConfig, defineAgent } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { withoutPlace } from '../../../fixtures/stored.ts';

/** A message of a hundred tokens, measured as in conversations: four bytes each. */
export const longMessage = (word: string): string => `${word} `.repeat(400).slice(0, 400);

/** Writes `Sum of {n}: ` and the first word of each message. */
export const listFirstWords: NonNullable<SummaryOptions['summarize']> = (messages) =>
  `Sum of ${messages.length}: ${messages.map(({ text }) => text.split(' ')[0]).join(' ')}`;

export const SUMMARY_SHOWN = 'Summary of the conversation so far, whose messages are not shown any more:\n\n';

type More = Partial<Omit<AgentConfig<'clerk'>, 'name' | 'output'>>;

export const agentWith = (options: SummaryOptions | undefined, more: More = {}) =>
  defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    ...more,
    use: [...(options ? [summarize(options)] : []), ...(more.use ?? [])],
  });

/** A session of one agent. `shown` returns the messages of the last request to its model. */
export function sessionOf(
  replies: readonly ScriptedReply[],
  options: SummaryOptions | undefined,
  more: More = {},
  warm = false,
) {
  const session = createTestSession(agentWith(options, more), { replies, warm });
  return { ...session, shown: () => session.requests.at(-1)?.messages };
}

type Compacted = Extract<SessionEvent, { type: 'conversation-cut' }>;

export const compactions = async (session: Pick<TestSession, 'events'>): Promise<Compacted[]> =>
  (await session.events()).flatMap((event) =>
    event.type === 'conversation-cut' && event.summary ? [withoutPlace(event)] : [],
  );

/** The event about a dropped summary. */
export type Dropped = Extract<SessionEvent, { type: 'module-event' }>;

/** The expected event about a dropped summary. */
export const droppedEvent = (
  fact: { readonly reason: string; readonly from: number; readonly tokens: number },
  more: Partial<Dropped> = {},
) => ({
  type: 'module-event',
  turn: expect.any(String),
  module: 'compaction',
  facts: [{ slice: 'compaction', fact, at: expect.any(Number) }],
  ...more,
});

export const droppedSummaries = async (session: Pick<TestSession, 'events'>): Promise<Dropped[]> =>
  (await session.events()).flatMap((event) =>
    event.type === 'module-event' && event.module === 'compaction' ? [withoutPlace(event)] : [],
  );

/** Captures the errors that are logged from now on, and does not print them. */
export function captureErrors() {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return () => log.mock.calls;
}
