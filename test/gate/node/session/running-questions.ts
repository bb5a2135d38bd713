import {
  type Answer,
  type AnyTool,
  type CallContext,
  defineTool,
  type Effect,
  type Question,
} from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { checkAnswer, listOpenQuestions, postAnswer, type TurnHost } from '../../../doors/session.ts';
import { callTools } from '../tool-loop/scenes.ts';
import { callResults, LEASE_MS } from './former-holder.ts';
import { type ClockedApp, createClockedApp, type MemoryApp } from './memory-app.ts';

export const ANSWER_SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export const QUESTION = {
  for: 'decision',
  meanwhile: 'running',
  message: 'Whose?',
  schema: ANSWER_SCHEMA,
  expires: 30_000,
} as const satisfies Question;

interface AskingToolOptions {
  readonly name?: string;
  readonly effect?: Exclude<Effect, 'none'>;
  readonly timeout?: number;
  /** Records the call id of each run. */
  readonly ran?: string[];
}

/** A tool that records its run, and then asks a question. */
export const createAskingTool = (
  run: (call: CallContext) => unknown = (call) => call.ask(QUESTION),
  { name = 'book', effect = 'once', timeout = 300_000, ran = [] }: AskingToolOptions = {},
): AnyTool => {
  const recordAndRun = (_: unknown, call: CallContext) => {
    ran.push(call.id);
    return run(call);
  };
  return defineTool({ name, description: 'Books.', effect, timeout, run: recordAndRun });
};

export const createApp = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[] = [callTools('book'), 'Done.'],
): ClockedApp => createClockedApp({ tools, replies: [...replies, 'Later.'], leaseMs: LEASE_MS });

/** Starts a turn, and returns it once its calls have asked their questions. */
export async function startTurn(app: ClockedApp, host: Partial<TurnHost> = {}) {
  const leased = await app.lease('Go.');
  const end = app.run(leased, host);
  await app.clock.advance(0);
  return { end, turn: leased.page.openTurn?.id ?? '' };
}

export const readOpenQuestions = async (app: MemoryApp, turn: string) =>
  listOpenQuestions(await app.events(turn));

/** Sends a decision about the first open question, and waits until the holder has received it. */
export async function decide(app: ClockedApp, turn: string, sent: Answer<'decision'>): Promise<string> {
  const [question] = await readOpenQuestions(app, turn);
  if (!question) throw new Error('The turn has no open question.');
  const checked = checkAnswer(question, sent, { by: 'ann' });
  if (!checked.ok) throw new Error(checked.problems.join('; '));
  const posted = await postAnswer(app, question, { answer: checked.value, hash: question.id });
  await app.clock.advance(LEASE_MS / 3 + 100);
  return posted;
}

export const listEventTypes = (events: readonly StoredEvent[]): readonly string[] =>
  events.map(({ type }) => type);

/** The name and the result of each call, as the model reads them. */
export const readResults = async (app: MemoryApp) => callResults((await app.state()).messages);
