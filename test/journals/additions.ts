/**
 * What code of today says of stored sessions beside what the code said that had stored them, by its version: the paths of
 * properties in a kept reading, where `*` is every property, or every item of a list. `session.body.turn.ms` is one of
 * `GET session`, `asked.*.messages.*.name` one of the requests to the model. Whatever is not named here is as it was.
 */
export const additions: Readonly<Record<string, readonly string[]>> = {
  // The adapter asks for a stream, whoever listens.
  '1bd17dc': ['asked.*.stream', 'asked.*.stream_options'],
};

/** The value without what is at a path, and whether anything was there. Mutates nothing. */
export function without(
  value: unknown,
  path: readonly string[],
): { readonly rest: unknown; readonly met: boolean } {
  const [key, ...deeper] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return { rest: value, met: false };
  const parts = Object.entries(value).map(([name, one]) => {
    if (key !== '*' && key !== name) return { name, kept: [one], met: false };
    if (deeper.length === 0) return { name, kept: [], met: true };
    const { rest, met } = without(one, deeper);
    return { name, kept: [rest], met };
  });
  const met = parts.some((part) => part.met);
  if (Array.isArray(value)) return { rest: parts.flatMap(({ kept }) => kept), met };
  return { rest: Object.fromEntries(parts.flatMap(({ name, kept }) => kept.map((one) => [name, one]))), met };
}
