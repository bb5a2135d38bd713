/** Agents with a limit, a failure, a structured answer, or a compacted conversation. */
import * as v from 'valibot';
import { defineAgenticTool } from '../../../src/kinds/entry.ts';
import { type SummaryOptions, summarize } from '../../../src/modules/compaction/entry.ts';
import { type BudgetOptions, budget, callLimits } from '../../../src/modules/limits/entry.ts';
import { createActingTool, createSceneModel, defineScene } from './scene.ts';

const PRICES = { input: 1, output: 10 };

/** An agent with a budget, and a nested loop whose budget is too small. */
const createBudgetedScene = (name: string, bounds: BudgetOptions) =>
  defineScene(name, {
    model: createSceneModel(name, PRICES),
    use: [budget(bounds)],
    tools: [
      createActingTool(name, 'look_up', { effect: 'read' }),
      defineAgenticTool({
        name: 'work',
        description: 'Works.',
        input: v.object({ task: v.string() }),
        tools: [createActingTool(name, 'pay', { effect: 'once' })],
        use: [budget({ tokens: 500 })],
      }),
    ],
  });

const failedScene = defineScene('failed', {
  tools: [createActingTool('failed', 'look_up', { effect: 'read' })],
});

const limitReached = defineScene('limit-reached', {
  limits: { iterations: 2 },
  use: [callLimits({ callsPerTool: { look_up: 2 } })],
  tools: [
    createActingTool('limit-reached', 'look_up', { effect: 'read' }),
    createActingTool('limit-reached', 'note', { effect: 'read' }),
  ],
});

const structured = defineScene('structured', {
  output: v.object({ total: v.number() }),
  tools: [createActingTool('structured', 'count', { effect: 'read' })],
});

const createCompactingScene = (name: string, options: SummaryOptions) =>
  defineScene(name, {
    use: [summarize(options)],
    tools: [createActingTool(name, 'pay', { effect: 'once' })],
  });

export const limits = [
  createBudgetedScene('budgeted', { tokens: 20_000, cost: 0.1 }),
  createBudgetedScene('killed-in-model', { tokens: 6_000 }),
  failedScene,
  limitReached,
  structured,
  createCompactingScene('compacted', { overTokens: 120, keepTurns: 1 }),
  createCompactingScene('summary-dropped', { overTokens: 80, keepTurns: 0 }),
];
