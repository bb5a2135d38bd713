/** What became of code that may throw. */
export type Attempt<Made> =
  | { readonly ok: true; readonly value: Made }
  | { readonly ok: false; readonly thrown: unknown };

/** Runs it, and answers what it throws. */
export function attempt<Made>(make: () => Made): Attempt<Made> {
  try {
    return { ok: true, value: make() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}
