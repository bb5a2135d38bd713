/** A reply that does not end before a test lets it: asked to say it slowly, a model waits with its last words. */
let mayEnd = true;

/** How many words a model says when it is asked to say it slowly, until a test lets the reply end, and in which pauses, in ms. */
const WORDS = 12;
const PACE = 200;

/** How long it waits for a word otherwise, in ms: a page shows several pieces of a reply, and a test does not wait for them. */
const FAST = 5;

/** Waits before the word at this place of a reply to what was asked. */
export async function pauseBefore(place: number, asked: string): Promise<void> {
  if (place === 0) mayEnd = !asked.includes('slowly');
  await new Promise((resolve) => setTimeout(resolve, mayEnd ? FAST : PACE));
  while (place >= WORDS && !mayEnd) await new Promise((resolve) => setTimeout(resolve, FAST));
}

/** The Worker's `fetch`, and `/end`, which lets a slow reply end. */
export const withEnd =
  <Given extends readonly [Pick<Request, 'url'>, ...unknown[]], Answer>(fetch: (...given: Given) => Answer) =>
  (...given: Given): Answer | Response => {
    if (new URL(given[0].url).pathname !== '/end') return fetch(...given);
    mayEnd = true;
    return new Response('It may end.\n');
  };
