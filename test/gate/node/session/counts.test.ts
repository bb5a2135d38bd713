/** The round trips, commits, rows and bytes of a loop, which determine its duration. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool, type Effect } from '../../../../src/index.ts';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { createMemoryApp } from './memory-app.ts';

const ITERATION_COUNT = 10;

const createLookTool = (effect: Effect) =>
  defineTool({
    name: 'look',
    description: 'Looks something up.',
    input: v.object({ id: v.number() }),
    effect,
    run: ({ id }) => ({ id, found: true }),
  });

const lookReplies = Array.from({ length: ITERATION_COUNT }, (_, id) => ({
  calls: [{ name: 'look', input: { id } }],
}));

/** A port that counts its calls, and delays appends until a promise resolves. */
function countCalls(calls: Map<string, number>, before: Promise<void>): (port: SessionPort) => SessionPort {
  const countCall = (name: string): void => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
  };
  return (port) => ({
    ...port,
    begin: (request) => {
      countCall('begin');
      return port.begin(request);
    },
    append: async (epoch, from, change) => {
      countCall('append');
      await before;
      return port.append(epoch, from, change);
    },
    renew: (epoch) => {
      countCall('renew');
      return port.renew(epoch);
    },
    read: (query) => {
      countCall('read');
      return port.read(query);
    },
  });
}

async function runLoop(effect: Effect) {
  const calls = new Map<string, number>();
  const over = Promise.withResolvers<void>();
  const finishTurn = () => {
    over.resolve();
    return 'Done.';
  };
  // All work that does not depend on the object's response is done before it arrives.
  const wrap = countCalls(calls, effect === 'read' ? over.promise : Promise.resolve());
  const app = createMemoryApp({
    tools: [createLookTool(effect)],
    replies: [...lookReplies, finishTurn],
    wrap,
  });
  const end = await app.say('Look ten things up.');
  expect(end).toMatchObject({
    status: 'ended',
    turn: { outcome: 'completed', iterations: ITERATION_COUNT + 1 },
  });
  const used = Object.fromEntries(calls);
  const page = await app.port.read({ from: 1 });
  return { used, rows: page?.rows ?? [], app };
}

describe('a loop of ten iterations with one call each', () => {
  it('makes one append per iteration, and one for the end, with a `once` tool', async () => {
    const { used } = await runLoop('once');
    expect(used).toEqual({ begin: 1, append: ITERATION_COUNT + 1 });
  });

  it('combines several events in most appends with a `read` tool', async () => {
    const { used } = await runLoop('read');
    expect(used.begin).toBe(1);
    expect(used.append).toBeLessThanOrEqual(3);
  });

  it.each(['read', 'once'] as const)(
    'stores three events per iteration, and four others, with a `%s` tool',
    async (effect) => {
      const { rows } = await runLoop(effect);
      expect(rows.length).toBe(3 * ITERATION_COUNT + 4);
    },
  );

  it('writes less than 8 KiB of event bodies', async () => {
    const { rows } = await runLoop('once');
    expect(rows.reduce((bytes, { body }) => bytes + body.length, 0)).toBeLessThan(8 * 1024);
  });

  it('sends the schema object from the definition of the tool in every request, without a conversion', async () => {
    const { app } = await runLoop('read');
    const shown = app.model.requests.map(({ tools }) => tools[0]?.inputSchema);
    expect(shown.every((schema) => schema === undefined || schema === app.agent.tools[0]?.inputSchema)).toBe(
      true,
    );
    expect(new Set(app.model.requests.slice(0, ITERATION_COUNT).map(({ tools }) => tools)).size).toBe(1);
  });
});
