/** The entry `holdfast/feedback`: what people think of a turn, in the journal of its session. */

export { feedbackDescription } from './describe.ts';
export { type Feedback, feedback, feedbackIn } from './feedback.ts';
