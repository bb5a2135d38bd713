import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type ChatModel, defineAgent, ModelError } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ModelReply, ModelRequest } from '../../../../src/model/entry.ts';
import { withName } from '../../../../src/modules/decorators/entry.ts';
import { type BudgetOptions, budget } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { ROOT } from '../../../doors/journal.ts';
import { computeCost } from '../../../doors/model.ts';
import { getReservation } from './budget-scene.ts';
import { createDiggingTool, createReadingTool } from './scenes.ts';

afterEach(() => vi.restoreAllMocks());

/** Returns a seeded random generator (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PRICES = { input: 2.5, output: 10 };
const countBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The provider's charges, including those for lost replies, which are hidden from the code under test. */
class ProviderBill {
  tokens = 0;
  cost = 0;
  /** The number of bytes per token in this run, which is at least one. */
  readonly density: number;

  constructor(density: number) {
    this.density = density;
  }

  charge(request: ModelRequest, random: number): { inputTokens: number; outputTokens: number } {
    const inputTokens = Math.ceil(countBytes([request.messages, request.tools]) / this.density);
    const outputTokens = Math.ceil((request.maxOutputTokens ?? 1e9) * random);
    this.tokens += inputTokens + outputTokens;
    this.cost += computeCost(PRICES, { inputTokens, outputTokens });
    return { inputTokens, outputTokens };
  }
}

/** Plays a turn of parallel nested loops whose model is slow, fails, reports no usage and is killed. */
async function play(seed: number) {
  const random = createRandom(seed);
  const drawUpTo = (most: number): number => Math.floor(random() * most);
  const drawBounds = (most: number): BudgetOptions => ({
    ...(random() < 0.7 && { tokens: 1 + drawUpTo(most) }),
    ...(random() < 0.5 && { cost: (1 + drawUpTo(most)) / 1e5 }),
  });
  const createUses = (bounds: BudgetOptions): readonly ModuleUse[] =>
    bounds.tokens === undefined && bounds.cost === undefined ? [] : [budget(bounds)];
  const bill = new ProviderBill(1 + random() * 4);
  const look = createReadingTool('look', () => 'found '.repeat(drawUpTo(200)));
  const nested = Array.from({ length: 1 + drawUpTo(6) }, (_, index) =>
    withName(
      createDiggingTool([look], { limits: { iterations: 6 }, uses: createUses(drawBounds(20_000)) }),
      `dig_${index}`,
    ),
  );
  let kills = 0;
  const model: ChatModel = {
    name: 'chance',
    prices: PRICES,
    maxOutputTokens: 300 + drawUpTo(3_000),
    async ask(request): Promise<ModelReply> {
      const usage = bill.charge(request, random());
      for (let waits = drawUpTo(5); waits > 0; waits -= 1) await Promise.resolve();
      const fate = random();
      if (fate < 0.08 && kills < 2) {
        kills += 1;
        session.kill();
      }
      if (fate > 0.95) throw new ModelError('server-error', 'The request failed.');
      if (fate > 0.9) throw new ModelError('truncated', 'The stream broke off.', { outputBegan: true });
      const names = request.tools.map(({ name }) => name).filter(() => random() < 0.6);
      const toolCalls = names.map((name, index) => ({ id: `c${index}`, name, input: '{}' }));
      const finish = toolCalls.length > 0 ? 'tool-calls' : 'stop';
      return { text: 'So far.', toolCalls, finish, ...(random() < 0.8 && { usage }) };
    },
  };
  const most = random() < 0.5 ? 60_000 : 400_000;
  const limits = { ...drawBounds(most), tokens: 1 + drawUpTo(most) };
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [look, ...nested],
    limits: { iterations: 6 },
    use: createUses(limits),
  });
  const session: TestSession = createTestSession(agent, { model, clock: createManualClock(1_000) });
  const answer = await session.send('Go.');
  return { answer, bill, limits, events: await session.events() };
}

type ReservedRequest = NonNullable<ReturnType<typeof getReservation>>;

/** Returns the usage of each frame with its inner frames, computed only from the journal. */
function computeUsage(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const parents = new Map<string, string>();
  const open = new Map<string, ReservedRequest['reserved']>();
  const used = new Map<string, number>();
  const add = (frame: string, tokens: number): void => {
    for (let at: string | undefined = frame; at !== undefined; at = parents.get(at)) {
      used.set(at, (used.get(at) ?? 0) + tokens);
    }
  };
  const sumTokens = ({ inputTokens, outputTokens }: ReservedRequest['reserved']) =>
    inputTokens + outputTokens;
  for (const event of events) {
    if (event.type === 'frame-started') parents.set(event.frame, event.parent ?? ROOT);
    const held = getReservation(event);
    if (held) {
      open.set(held.frame ?? ROOT, held.reserved);
      add(held.frame ?? ROOT, sumTokens(held.reserved));
    }
    if (event.type === 'model-replied') {
      const reserved = open.get(event.frame ?? ROOT);
      if (reserved && event.usage) add(event.frame ?? ROOT, sumTokens(event.usage) - sumTokens(reserved));
      open.delete(event.frame ?? ROOT);
    }
  }
  return used;
}

/** Counts events over all runs. */
const seenCounts = { refused: 0, resumed: 0, nested: 0, completed: 0 };

describe('parallel loops with failed replies, lost replies and missing usage', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'never cost more than their limits allow: part %i',
    { timeout: 30_000 },
    async (part) => {
      vi.spyOn(console, 'error').mockImplementation(() => {});
      for (let seed = part * 1_000; seed < part * 1_000 + 30; seed += 1) {
        const { answer, bill, limits, events } = await play(seed);
        expect(bill.tokens, `seed ${seed}`).toBeLessThanOrEqual(limits.tokens);
        expect(bill.cost, `seed ${seed}`).toBeLessThanOrEqual((limits.cost ?? Infinity) + 1e-12);
        const used = computeUsage(events);
        expect(used.get(ROOT) ?? 0, `seed ${seed}`).toBeGreaterThanOrEqual(bill.tokens);
        for (const event of events) {
          if (event.type === 'model-refused' && event.limit === 'tokens') {
            expect(used.get(event.of ?? ROOT) ?? 0, `seed ${seed}`).toBeLessThanOrEqual(event.most);
          }
          if (event.type === 'model-refused') seenCounts.refused += 1;
          if (event.type === 'turn-resumed') seenCounts.resumed += 1;
          if (event.type === 'model-replied' && event.frame !== undefined) seenCounts.nested += 1;
        }
        if (answer.outcome === 'completed') seenCounts.completed += 1;
      }
    },
  );

  it('cover each kind of event often enough to make the test meaningful', () => {
    expect(Math.min(...Object.values(seenCounts))).toBeGreaterThan(20);
  });
});
