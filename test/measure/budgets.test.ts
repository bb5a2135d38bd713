import { describe, expect, it } from 'vitest';
import { CLERK_KIB, EXECUTED_BUDGETS, EXECUTED_FEATURES, findBudgetProblem } from './budgets.ts';
import { bundleClerk, CLERK } from './bundles.ts';
import { type ExecutionFigures, measureExecuted } from './executed/measure-executed.ts';
import { SCENARIOS } from './executed/scenarios.ts';
import { isOfFeature, readLibraryFeatures } from './features.ts';

describe('a budget', () => {
  it.each([
    [101, 'code: 101 is over the budget of 100. Find the room; a budget only falls.'],
    [100, undefined],
    [95, undefined],
    [94, 'code: 94 is far below the budget of 100. Lower it in budgets.ts.'],
  ])('with the limit 100 reports the expected problem for %i', (is, problem) => {
    expect(findBudgetProblem({ what: 'code', is, budget: 100 })).toBe(problem);
  });

  it('exists for every scenario', () => {
    expect(Object.keys(EXECUTED_BUDGETS)).toEqual(SCENARIOS.map(({ worker }) => worker));
  });
});

describe('the code that a message executes in a warm session', () => {
  const measured = new Map<string, ExecutionFigures>();

  // On a busy machine, a long message can renew its lease, so the measurement is retried.
  it.each(SCENARIOS)('is within its budget: $name', { retry: 2 }, async (scenario) => {
    const executed = await measureExecuted(scenario);
    measured.set(scenario.worker, executed);
    const { functions, files } = executed;
    const budget = EXECUTED_BUDGETS[scenario.worker] ?? { functions: 0, files: 0 };
    const problems = [
      findBudgetProblem({ what: 'functions', is: functions.length, budget: budget.functions }),
      findBudgetProblem({ what: 'files', is: files.length, budget: budget.files }),
    ];
    expect(problems).toEqual([undefined, undefined]);
  });

  it('contains no feature if the message is plain, except for the listed ones', () => {
    const files = measured.get('read')?.files ?? [];
    expect(files).toContain('src/loop/run-loop.ts');
    const ran = readLibraryFeatures().filter(({ path }) => files.some((file) => isOfFeature(file, path)));
    expect(ran.map(({ path }) => path)).toEqual(Object.keys(EXECUTED_FEATURES));
  });
});

it(`the Worker of ${CLERK} is within its budget`, async () => {
  const { gzipped } = await bundleClerk();
  const what = 'KiB, minified and gzipped';
  expect(findBudgetProblem({ what, is: Math.ceil(gzipped / 1024), budget: CLERK_KIB })).toBeUndefined();
});
