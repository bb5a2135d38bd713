/** The entry `holdfast/caller-words`, for custom protocols that show the model text from their clients. */

export { callerWords, declareCallerWords } from './caller-words.ts';
