import { expectTypeOf } from 'vitest';
import type { ModuleUse } from '../../src/index.ts';
import { defineAgent } from '../../src/index.ts';
import { defineAgenticTool } from '../../src/kinds/entry.ts';
import { type BudgetOptions, budget } from '../../src/modules/limits/entry.ts';

expectTypeOf(budget({ tokens: 5_000 })).toEqualTypeOf<ModuleUse>();
expectTypeOf(budget).parameters.toEqualTypeOf<[options: BudgetOptions]>();
budget({ cost: 0.5, tokens: undefined });

// @ts-expect-error: a budget is a number.
budget({ tokens: 'unlimited' });

const agent = { name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [] } as const;
defineAgent({ ...agent, use: [budget({ cost: 1 })], limits: { tokens: 'unlimited' } });

// @ts-expect-error: cost is bounded by a module.
defineAgent({ ...agent, limits: { cost: 1 } });

const dig = { name: 'dig', description: 'Digs.', tools: [] } as const;
defineAgenticTool({ ...dig, use: [budget({ tokens: 500 })] });

// @ts-expect-error: the tokens of a nested loop are bounded by a module.
defineAgenticTool({ ...dig, limits: { tokens: 500 } });
