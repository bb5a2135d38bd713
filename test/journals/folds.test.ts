/**
 * Checks that each change of the fold increases REDUCER_VERSION, because code with the same version shares
 * snapshots.
 */
import { expect, it } from 'vitest';
import { computeFolds, findFoldProblem, readFolds } from './folds.ts';

const keptFolds = { reducer: 3_007, folds: { 'a/one': '1', 'a/two': '2' } };
const changedFolds = { 'a/one': '1', 'a/two': '3' };
const staleText = 'The folds of test/journals/folds.json are of before: npm run write-folds';

it('every stored session has the fold that is recorded for REDUCER_VERSION', () => {
  expect(findFoldProblem(readFolds(), computeFolds())).toBe(undefined);
});

it('a changed fold requires another REDUCER_VERSION', () => {
  expect(findFoldProblem(keptFolds, { ...keptFolds, folds: changedFolds })).toBe(
    'The fold of a/two has changed, and snapshots that were stored before would go on with what it was: ' +
      'raise REDUCER_VERSION in src/journal/reduce.ts.',
  );
});

it.each([
  ['the reducer has another version', { reducer: 3_008, folds: changedFolds }],
  ['a session is added', { ...keptFolds, folds: { ...keptFolds.folds, 'b/one': '4' } }],
  ['a session is removed', { ...keptFolds, folds: { 'a/one': '1' } }],
])('the folds must be stored again if %s', (_, now) => {
  expect(findFoldProblem(keptFolds, now)).toBe(staleText);
});
