/** A reply that does not end before a test lets it: asked to say it slowly, a model waits with its last words. */
let mayEnd = true;

/** How many words a model says at once when it is asked to say it slowly, and in which pauses, in ms. */
const WORDS = 12;
const PACE = 200;

/** Waits before the word at this place; `pace`: how long it is usually waited, in ms. */
export async function pauseBefore(place: number, asked: string, pace: number): Promise<void> {
  const isSlow = asked.includes('slowly');
  if (place === 0) mayEnd = !isSlow;
  await new Promise((resolve) => setTimeout(resolve, isSlow ? PACE : pace));
  while (place >= WORDS && !mayEnd) await new Promise((resolve) => setTimeout(resolve, PACE));
}

/** What a Worker answers with `fetch`, and `/end`, which lets a slow reply end. */
export const withEnd =
  <Given extends readonly [Pick<Request, 'url'>, ...unknown[]], Answer>(fetch: (...given: Given) => Answer) =>
  (...given: Given): Answer | Response => {
    if (new URL(given[0].url).pathname !== '/end') return fetch(...given);
    mayEnd = true;
    return new Response('It may end.\n');
  };
