/** The entry `holdfast/caller-words`: a protocol of your own shows the model what its clients say of their page. */

export { callerWords, declareCallerWords } from './caller-words.ts';
