/** The longest that a message is put off, in seconds: 365 days. */
export const LONGEST_DELAY = 365 * 24 * 60 * 60;

/** Which delays there are, for whoever gave another. */
export const DELAY_RULE = `must be a number from 0 to ${LONGEST_DELAY} (365 days)`;

/** Whether a message can be put off by so many seconds. With 0 it gets in line at once. */
export const isDelay = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= LONGEST_DELAY;
