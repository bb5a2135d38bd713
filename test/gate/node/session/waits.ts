import { expect } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { listOpenQuestions, postAnswer } from '../../../doors/session.ts';
import type { MemoryApp } from './memory-app.ts';

export const BOTH_CALLS = { calls: [{ name: 'pay' }, { name: 'note' }] };

/** Two tools that act, and a record of their runs. */
export function createActingTools() {
  const did: string[] = [];
  const createActingTool = (name: string) =>
    defineTool({ name, description: 'Acts.', run: () => `${name} ${did.push(name)}` });
  return { did, pay: createActingTool('pay'), note: createActingTool('note') };
}

/** Approves every open question of the turn, with one post each. */
export async function approve(
  { port, agent, events }: Pick<MemoryApp, 'port' | 'agent' | 'events'>,
  turn: string,
) {
  for (const question of listOpenQuestions(await events(turn))) {
    const answer = { type: 'decision', decision: 'approve', by: 'ann' } as const;
    expect(await postAnswer({ port, agent }, question, { answer, hash: question.id })).toBe('posted');
  }
}

export const openTurn = async ({ port }: MemoryApp): Promise<string> =>
  (await port.read({ from: 1, limit: 1 }))?.openTurn?.id ?? '';

/** Returns whether the open turn of the app has an open question. */
export const hasOpenQuestion = async (app: MemoryApp): Promise<boolean> =>
  listOpenQuestions(await app.events(await openTurn(app))).length > 0;

export const readEventTypes = async (app: MemoryApp, turn: string): Promise<string[]> =>
  (await app.events(turn)).map(({ type }) => type);
