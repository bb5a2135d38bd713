/**
 * The entry `holdfast/feedback`, which stores people's feedback about a turn in the journal of its session.
 */

export { feedbackDescription } from './describe.ts';
export { type Feedback, feedback, feedbackIn } from './feedback.ts';
