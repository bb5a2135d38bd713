import { describe, expect, it } from 'vitest';
import { CLERK_KIB, EXECUTED, EXECUTED_FEATURES, problemOf } from './budgets.ts';
import { bundleClerk, CLERK } from './bundles.ts';
import { type Executed, measureExecuted } from './executed/measure-executed.ts';
import { SCENARIOS } from './executed/scenarios.ts';
import { isOfFeature, libraryFeatures } from './features.ts';

describe('a budget', () => {
  it.each([
    [101, 'code: 101 is over the budget of 100. Find the room; a budget only falls.'],
    [100, undefined],
    [95, undefined],
    [94, 'code: 94 is far below the budget of 100. Lower it in budgets.ts.'],
  ])('of 100 reports the expected problem for %i', (is, problem) => {
    expect(problemOf({ what: 'code', is, budget: 100 })).toBe(problem);
  });

  it('exists for every scenario', () => {
    expect(Object.keys(EXECUTED)).toEqual(SCENARIOS.map(({ worker }) => worker));
  });
});

describe('the code that a message executes in a warm session', () => {
  const measured = new Map<string, Executed>();

  // On a busy machine, a long message can renew its lease, so the measurement is retried.
  it.each(SCENARIOS)('is within its budget: $name', { retry: 2 }, async (scenario) => {
    const executed = await measureExecuted(scenario);
    measured.set(scenario.worker, executed);
    const { functions, files } = executed;
    const budget = EXECUTED[scenario.worker] ?? { functions: 0, files: 0 };
    const problems = [
      problemOf({ what: 'functions', is: functions.length, budget: budget.functions }),
      problemOf({ what: 'files', is: files.length, budget: budget.files }),
    ];
    expect(problems).toEqual([undefined, undefined]);
  });

  it('contains no feature if the message is plain, except for the listed ones', () => {
    const files = measured.get('read')?.files ?? [];
    expect(files).toContain('src/loop/run-loop.ts');
    const ran = libraryFeatures().filter(({ path }) => files.some((file) => isOfFeature(file, path)));
    expect(ran.map(({ path }) => path)).toEqual(Object.keys(EXECUTED_FEATURES));
  });
});

it(`the Worker of ${CLERK} is within its budget`, async () => {
  const { gzipped } = await bundleClerk();
  const what = 'KiB, minified and gzipped';
  expect(problemOf({ what, is: Math.ceil(gzipped / 1024), budget: CLERK_KIB })).toBeUndefined();
});
