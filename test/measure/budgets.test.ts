import { describe, expect, it } from 'vitest';
import { CLERK_KIB, EXECUTED, problemOf } from './budgets.ts';
import { bundleClerk, CLERK } from './bundles.ts';
import { measureExecuted } from './executed/measure-executed.ts';
import { SCENARIOS } from './executed/scenarios.ts';

describe('a budget', () => {
  it.each([
    [101, 'code: 101 is over the budget of 100. Find the room; a budget only falls.'],
    [100, undefined],
    [95, undefined],
    [94, 'code: 94 is far below the budget of 100. Lower it in budgets.ts.'],
  ])('of 100 is compared with %i', (is, problem) => {
    expect(problemOf({ what: 'code', is, budget: 100 })).toBe(problem);
  });

  it('exists for every scenario', () => {
    expect(Object.keys(EXECUTED)).toEqual(SCENARIOS.map(({ worker }) => worker));
  });
});

describe('what a message executes in a warm session', () => {
  // On a busy machine a message may take so long that its lease is renewed: then it is measured again.
  it.each(SCENARIOS)('is within its budget: $name', { retry: 2 }, async (scenario) => {
    const { functions, files } = await measureExecuted(scenario);
    const budget = EXECUTED[scenario.worker] ?? { functions: 0, files: 0 };
    const problems = [
      problemOf({ what: 'functions', is: functions.length, budget: budget.functions }),
      problemOf({ what: 'files', is: files.length, budget: budget.files }),
    ];
    expect(problems).toEqual([undefined, undefined]);
  });
});

it(`the Worker of ${CLERK} is within its budget`, async () => {
  const { gzipped } = await bundleClerk();
  const what = 'KiB, minified and gzipped';
  expect(problemOf({ what, is: Math.ceil(gzipped / 1024), budget: CLERK_KIB })).toBeUndefined();
});
