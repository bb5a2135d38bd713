/**
 * `npm run write-folds` records the folds of the stored sessions. Run it after an increase of
 * REDUCER_VERSION.
 */
import { computeFolds, findFoldProblem, readFolds, writeFolds } from './folds.ts';

const [kept, now] = [readFolds(), computeFolds()];
const problem = findFoldProblem(kept, now);
if (problem?.includes('REDUCER_VERSION')) {
  console.error(problem);
  process.exit(1);
}
writeFolds(now);
console.log('See git diff test/journals/folds.json.');
