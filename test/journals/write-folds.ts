/** `npm run write-folds` keeps what the fold makes of the stored sessions, once REDUCER_VERSION says that it has changed. */
import { foldsNow, problemOf, readFolds, writeFolds } from './folds.ts';

const [kept, now] = [readFolds(), foldsNow()];
const problem = problemOf(kept, now);
if (problem?.includes('REDUCER_VERSION')) {
  console.error(problem);
  process.exit(1);
}
writeFolds(now);
console.log('See git diff test/journals/folds.json.');
