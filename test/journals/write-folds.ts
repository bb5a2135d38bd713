/** `npm run write-folds` stores the folds of the stored sessions after REDUCER_VERSION was increased. */
import { foldsNow, problemOf, readFolds, writeFolds } from './folds.ts';

const [kept, now] = [readFolds(), foldsNow()];
const problem = problemOf(kept, now);
if (problem?.includes('REDUCER_VERSION')) {
  console.error(problem);
  process.exit(1);
}
writeFolds(now);
console.log('See git diff test/journals/folds.json.');
