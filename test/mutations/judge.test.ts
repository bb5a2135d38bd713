import { describe, expect, it } from 'vitest';
import { findUnusableReason, formatSummary, judge, type Report, type TestRun } from './judge.ts';
import { runPatiently } from './run-patiently.ts';

type File = Report['testResults'][number];
type Test = File['assertionResults'][number];

const createTest = (fullName: string, status: string, ...failureMessages: string[]): Test => ({
  ...{ fullName, status, failureMessages },
});

const createFile = (name: string, startTime: number, tests: readonly Test[], message = ''): File => {
  const isRed = message !== '' || tests.some(({ status }) => status === 'failed');
  return {
    name: `/copy/${name}`,
    status: isRed ? 'failed' : 'passed',
    ...{ startTime, message, assertionResults: tests },
  };
};

const createRan = (...testResults: File[]): TestRun => ({
  ended: 'reported',
  report: { success: testResults.every(({ status }) => status === 'passed'), testResults },
});

const judgeRun = (one: TestRun, mayHang = false) =>
  judge(one, { tests: ['a.test.ts'], ...(mayHang && { hangs: true }) }, (name) => name.replace('/copy/', ''));

const RED_TEST = createTest('pays once', 'failed', 'AssertionError: expected 2 to be 1');
const LATE_TEST = createTest('pays', 'failed', 'Error: Test timed out in 30000ms.');
const GREEN_TEST = createTest('pays', 'passed');

describe('a mutation', () => {
  it('is caught by the first test that failed', () => {
    const other = createFile('b.test.ts', 2, [createTest('sends', 'failed', 'Error: x')]);
    expect(
      judgeRun(
        createRan(
          other,
          createFile('a.test.ts', 1, [GREEN_TEST, RED_TEST, createTest('asks', 'failed', 'Error: y')]),
        ),
      ),
    ).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays once',
    });
  });

  it('survives if all tests pass', () => {
    expect(judgeRun(createRan(createFile('a.test.ts', 1, [GREEN_TEST])))).toEqual({ is: 'survived' });
  });

  it.each<[string, TestRun, string]>([
    [
      'a file that cannot be loaded',
      createRan(
        createFile('b.test.ts', 1, [RED_TEST]),
        createFile('a.test.ts', 2, [], 'SyntaxError: Unexpected token\n  at x'),
      ),
      'a.test.ts could not be run: SyntaxError: Unexpected token',
    ],
    [
      'a hook that fails before any test',
      createRan(createFile('a.test.ts', 1, [createTest('pays', 'skipped')], 'Error: no world')),
      'a.test.ts could not be run: Error: no world',
    ],
    [
      'a failure outside of the tests',
      {
        ended: 'reported',
        report: { success: false, testResults: [createFile('a.test.ts', 1, [GREEN_TEST])] },
      },
      'no test was red, and the run was: something failed outside of the tests',
    ],
    [
      'a runner that breaks',
      { ended: 'broken', output: 'one\ntwo\nError: no config\n  at x\n' },
      'the tests did not run: two | Error: no config |   at x',
    ],
    [
      'a test that timed out',
      createRan(createFile('a.test.ts', 1, [LATE_TEST])),
      'a.test.ts > pays timed out: an entry that may hang says `hangs`',
    ],
    [
      'tests that do not end',
      { ended: 'too-late', afterMs: 120_000 },
      'the tests did not end within 120 s: an entry that may hang says `hangs`',
    ],
    [
      'a file that is missing from the report',
      createRan(createFile('b.test.ts', 1, [GREEN_TEST])),
      'no test of a.test.ts ran and passed',
    ],
    [
      'a file with only skipped tests',
      createRan(createFile('a.test.ts', 1, [createTest('pays', 'skipped')])),
      'no test of a.test.ts ran and passed',
    ],
  ])('counts as not run, and not as survived, with %s', (_, one, why) => {
    expect(judgeRun(one)).toEqual({ is: 'not-run', why });
  });

  it('is caught by tests that do not end if its entry allows a hang', () => {
    expect(judgeRun({ ended: 'too-late', afterMs: 9_000 }, true)).toEqual({
      is: 'caught',
      by: 'the tests did not end within 9 s',
    });
    expect(judgeRun(createRan(createFile('a.test.ts', 1, [LATE_TEST])), true)).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays timed out',
    });
  });

  it('is caught by a failed test rather than by an earlier timeout', () => {
    expect(judgeRun(createRan(createFile('a.test.ts', 1, [LATE_TEST, RED_TEST])))).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays once',
    });
  });
});

describe('the tests of a mutation', () => {
  const tests = ['a.test.ts', 'b.test.ts'];
  const A = createFile('a.test.ts', 1, [GREEN_TEST]);
  const UNLOADED = createFile('b.test.ts', 2, [], 'Error: Failed to start a worker');

  /** Runs the tests of an entry with these results, one after another. Returns the files of each run. */
  async function runWith(tested: { tests: readonly string[]; hangs?: true }, ...given: readonly TestRun[]) {
    const asked: (readonly string[])[] = [];
    const last = await runPatiently(tested, async (files) => {
      const next = given[asked.length];
      asked.push(files);
      if (!next) throw new Error('The tests ran more often than expected.');
      return next;
    });
    return { asked, verdict: judge(last, tested, (name) => name.replace('/copy/', '')) };
  }

  it('run once if every file passes', async () => {
    const one = createRan(A, createFile('b.test.ts', 2, [GREEN_TEST]));
    expect(await runWith({ tests }, one)).toEqual({ asked: [tests], verdict: { is: 'survived' } });
  });

  it.each<[string, TestRun]>([
    ['could not be loaded', createRan(A, UNLOADED)],
    ['timed out', createRan(A, createFile('b.test.ts', 2, [LATE_TEST]))],
    ['is missing', createRan(A)],
  ])('run again in the single file that %s, whose second result counts', async (_, first) => {
    const asked = [tests, ['b.test.ts']];
    expect(await runWith({ tests }, first, createRan(createFile('b.test.ts', 3, [RED_TEST])))).toEqual({
      asked,
      verdict: { is: 'caught', by: 'b.test.ts > pays once' },
    });
    expect(await runWith({ tests }, first, createRan(createFile('b.test.ts', 3, [GREEN_TEST])))).toEqual({
      asked,
      verdict: { is: 'survived' },
    });
  });

  it('have no result if a file cannot be run separately either', async () => {
    expect((await runWith({ tests }, createRan(A, UNLOADED), createRan(UNLOADED))).verdict).toEqual({
      is: 'not-run',
      why: 'b.test.ts could not be run: Error: Failed to start a worker',
    });
    expect(
      (await runWith({ tests }, createRan(A, UNLOADED), { ended: 'broken', output: 'Killed' })).verdict,
    ).toEqual({
      is: 'not-run',
      why: 'the tests did not run: Killed',
    });
  });

  it.each<[string, TestRun]>([
    ['its runner broke', { ended: 'broken', output: 'Killed' }],
    ['it did not end', { ended: 'too-late', afterMs: 9_000 }],
    [
      'something failed outside of the tests',
      { ended: 'reported', report: { success: false, testResults: [A] } },
    ],
  ])('run again, each file alone, if a run has no result because %s', async (_, first) => {
    expect(
      await runWith({ tests }, first, createRan(A), createRan(createFile('b.test.ts', 2, [RED_TEST]))),
    ).toEqual({
      asked: [tests, ['a.test.ts'], ['b.test.ts']],
      verdict: { is: 'caught', by: 'b.test.ts > pays once' },
    });
  });

  it('run once if a test failed, even if the run then skipped other files', async () => {
    const one = createRan(
      createFile('a.test.ts', 1, [RED_TEST]),
      createFile('b.test.ts', 2, [createTest('sends', 'skipped')]),
    );
    expect((await runWith({ tests }, one)).asked).toEqual([tests]);
  });

  it('run once if they do not end and their entry allows a hang', async () => {
    const hanging = { tests, hangs: true } as const;
    expect((await runWith(hanging, { ended: 'too-late', afterMs: 9_000 })).asked).toEqual([tests]);
    expect((await runWith(hanging, createRan(A, createFile('b.test.ts', 2, [LATE_TEST])))).asked).toEqual([
      tests,
    ]);
  });
});

describe('the summary', () => {
  it('counts survivors separately from mutations that could not run', () => {
    expect(
      formatSummary([
        { is: 'caught', by: '' },
        { is: 'not-run', why: '' },
        { is: 'survived' },
        { is: 'not-run', why: '' },
      ]),
    ).toBe('1 of 4 caught, 1 survived, 2 could not be run, 0 with an entry that is wrong');
  });
});

describe('the tests of the unchanged code', () => {
  it('are usable if each file has a passed test and no failed test', () => {
    const one = createRan(
      createFile('test/a.test.ts', 1, [GREEN_TEST]),
      createFile('test/b.test.ts', 1, [GREEN_TEST]),
    );
    expect(findUnusableReason(one, ['test/a.test.ts', 'test/b.test.ts'])).toBeUndefined();
  });

  it('are usable if only the file of another mutation fails', () => {
    const one = createRan(
      createFile('test/a.test.ts', 1, [GREEN_TEST]),
      createFile('test/b.test.ts', 1, [RED_TEST]),
    );
    expect(findUnusableReason(one, ['test/a.test.ts'])).toBeUndefined();
  });

  it.each<[string, TestRun, string]>([
    [
      'a test fails',
      createRan(createFile('test/a.test.ts', 1, [GREEN_TEST, RED_TEST])),
      '/copy/test/a.test.ts > pays once',
    ],
    [
      'a file was not run',
      createRan(createFile('test/other.test.ts', 1, [GREEN_TEST])),
      'no test of test/a.test.ts ran and passed',
    ],
    [
      'a file skips all of its tests',
      createRan(createFile('test/a.test.ts', 1, [createTest('pays', 'skipped')])),
      'no test of test/a.test.ts ran and passed',
    ],
    [
      'a failure is outside of the tests',
      {
        ended: 'reported',
        report: { success: false, testResults: [createFile('test/a.test.ts', 1, [GREEN_TEST])] },
      },
      'something failed outside of the tests',
    ],
    ['they do not end', { ended: 'too-late', afterMs: 360_000 }, 'the tests did not end within 360 s'],
    [
      'they do not run',
      { ended: 'broken', output: 'Error: no config\n' },
      'the tests did not run: Error: no config',
    ],
    [
      'a file cannot be loaded',
      createRan(
        createFile('test/a.test.ts', 1, [GREEN_TEST]),
        createFile('test/a.test.ts', 1, [], 'Error: no worker'),
      ),
      '/copy/test/a.test.ts could not be run: Error: no worker',
    ],
  ])('are not usable if %s', (_, one, why) => {
    expect(findUnusableReason(one, ['test/a.test.ts'])).toBe(why);
  });
});
