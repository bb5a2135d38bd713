/**
 * What code of today says of stored sessions beside what the code said that had stored them, by its version: the paths of
 * properties in a kept reading, where `*` is every property, or every item of a list. `session.body.turn.ms` is one of
 * `GET session`, `asked.*.messages.*.name` one of the requests to the model. With `name:` before it, it is of that journal only.
 * Whatever is not named here is as it was.
 */
export const additions: Readonly<Record<string, readonly string[]>> = {
  '1bd17dc': [
    // The adapter asks for a stream, whoever listens.
    'asked.*.stream',
    'asked.*.stream_options',
    // The last call at the limit of iterations keeps its tools, and asks that none be called.
    'limit-reached:asked.2.tools',
    'limit-reached:asked.2.tool_choice',
  ],
};

/** The path, when it is of this journal too; `undefined` otherwise. */
export function pathIn(journal: string, addition: string): readonly string[] | undefined {
  const [path = '', only] = addition.split(':').toReversed();
  return only === undefined || only === journal ? path.split('.') : undefined;
}

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
