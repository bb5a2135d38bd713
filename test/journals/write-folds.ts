/** `npm run write-folds` stores the folds of the stored sessions after REDUCER_VERSION was increased. */
import { computeFolds, findFoldProblem, readFolds, writeFolds } from './folds.ts';

const [kept, now] = [readFolds(), computeFolds()];
const problem = findFoldProblem(kept, now);
if (problem?.includes('REDUCER_VERSION')) {
  console.error(problem);
  process.exit(1);
}
writeFolds(now);
console.log('See git diff test/journals/folds.json.');
