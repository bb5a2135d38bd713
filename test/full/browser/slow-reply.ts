/**
 * Slow replies for tests. If the message contains "slowly", the model stops before its last words until the
 * test lets it end.
 */
let mayEnd = true;

/** The number of words before the stop, and the time between the words of a slow reply in ms. */
const WORD_COUNT = 12;
const PACE_MS = 200;

/**
 * The time between words of any other reply, in ms. It lets a page show several pieces without slowing the
 * test.
 */
const FAST_MS = 5;

/** Waits before the word at this position in the reply to the message `asked`. */
export async function pauseBefore(place: number, asked: string): Promise<void> {
  if (place === 0) mayEnd = !asked.includes('slowly');
  await new Promise((resolve) => setTimeout(resolve, mayEnd ? FAST_MS : PACE_MS));
  while (place >= WORD_COUNT && !mayEnd) await new Promise((resolve) => setTimeout(resolve, FAST_MS));
}

/** Adds the route `/end`, which lets a slow reply end, to a Worker's `fetch`. */
export const withEnd =
  <Given extends readonly [Pick<Request, 'url'>, ...unknown[]], Answer>(fetch: (...given: Given) => Answer) =>
  (...given: Given): Answer | Response => {
    if (new URL(given[0].url).pathname !== '/end') return fetch(...given);
    mayEnd = true;
    return new Response('It may end.\n');
  };
