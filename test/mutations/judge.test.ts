import { describe, expect, it } from 'vitest';
import { judge, notGreen, type Ran, type Report } from './judge.ts';

type File = Report['testResults'][number];
type Test = File['assertionResults'][number];

const test = (fullName: string, status: string, ...failureMessages: string[]): Test => ({
  ...{ fullName, status, failureMessages },
});

const file = (name: string, startTime: number, tests: readonly Test[], message = ''): File => {
  const isRed = message !== '' || tests.some(({ status }) => status === 'failed');
  return {
    name: `/copy/${name}`,
    status: isRed ? 'failed' : 'passed',
    ...{ startTime, message, assertionResults: tests },
  };
};

const ran = (...testResults: File[]): Ran => ({
  ended: 'reported',
  report: { success: testResults.every(({ status }) => status === 'passed'), testResults },
});

const judged = (one: Ran, mayHang = false) => judge(one, mayHang, (name) => name.replace('/copy/', ''));

const RED = test('pays once', 'failed', 'AssertionError: expected 2 to be 1');
const LATE = test('pays', 'failed', 'Error: Test timed out in 30000ms.');
const GREEN = test('pays', 'passed');

describe('a mutation', () => {
  it('is caught by the test that was red first', () => {
    const other = file('b.test.ts', 2, [test('sends', 'failed', 'Error: x')]);
    expect(
      judged(ran(other, file('a.test.ts', 1, [GREEN, RED, test('asks', 'failed', 'Error: y')]))),
    ).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays once',
    });
  });

  it('survives tests that are all green', () => {
    expect(judged(ran(file('a.test.ts', 1, [GREEN])))).toEqual({ is: 'survived' });
  });

  it.each<[string, Ran, string]>([
    [
      'a file that cannot be loaded',
      ran(file('b.test.ts', 1, [RED]), file('a.test.ts', 2, [], 'SyntaxError: Unexpected token\n  at x')),
      'a.test.ts could not be run: SyntaxError: Unexpected token',
    ],
    [
      'a hook that fails before any test',
      ran(file('a.test.ts', 1, [test('pays', 'skipped')], 'Error: no world')),
      'a.test.ts could not be run: Error: no world',
    ],
    [
      'something outside of the tests',
      { ended: 'reported', report: { success: false, testResults: [file('a.test.ts', 1, [GREEN])] } },
      'no test was red, and the run was: something failed outside of the tests',
    ],
    [
      'a runner that breaks',
      { ended: 'broken', output: 'one\ntwo\nError: no config\n  at x\n' },
      'the tests did not run: two | Error: no config |   at x',
    ],
    [
      'a test that timed out',
      ran(file('a.test.ts', 1, [LATE])),
      'a.test.ts > pays timed out: an entry that may hang says `hangs`',
    ],
    [
      'tests that do not end',
      { ended: 'too-late', afterMs: 120_000 },
      'the tests did not end within 120 s: an entry that may hang says `hangs`',
    ],
  ])('is not caught by %s', (_, one, why) => {
    expect(judged(one)).toEqual({ is: 'error', why });
  });

  it('is caught by tests that do not end, if its entry says that it may hang', () => {
    expect(judged({ ended: 'too-late', afterMs: 9_000 }, true)).toEqual({
      is: 'caught',
      by: 'the tests did not end within 9 s',
    });
    expect(judged(ran(file('a.test.ts', 1, [LATE])), true)).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays timed out',
    });
  });

  it('is caught by a test that says something, rather than by one that timed out before', () => {
    expect(judged(ran(file('a.test.ts', 1, [LATE, RED])))).toEqual({
      is: 'caught',
      by: 'a.test.ts > pays once',
    });
  });
});

describe('the tests before anything is changed', () => {
  it('are green when each file has a test that passed, and none failed', () => {
    const one = ran(file('test/a.test.ts', 1, [GREEN]), file('test/b.test.ts', 1, [GREEN]));
    expect(notGreen(one, ['test/a.test.ts', 'test/b.test.ts'])).toBeUndefined();
  });

  it.each<[string, Ran, string]>([
    ['a test is red', ran(file('test/a.test.ts', 1, [GREEN, RED])), '/copy/test/a.test.ts > pays once'],
    [
      'a file was not run',
      ran(file('test/other.test.ts', 1, [GREEN])),
      'no test of test/a.test.ts ran and passed',
    ],
    [
      'a file skips all',
      ran(file('test/a.test.ts', 1, [test('pays', 'skipped')])),
      'no test of test/a.test.ts ran and passed',
    ],
    [
      'something else failed',
      { ended: 'reported', report: { success: false, testResults: [file('test/a.test.ts', 1, [GREEN])] } },
      'something failed outside of the tests',
    ],
    ['they do not end', { ended: 'too-late', afterMs: 360_000 }, 'the tests did not end within 360 s'],
    [
      'they do not run',
      { ended: 'broken', output: 'Error: no config\n' },
      'the tests did not run: Error: no config',
    ],
  ])('are not when %s', (_, one, why) => {
    expect(notGreen(one, ['test/a.test.ts'])).toBe(why);
  });
});
