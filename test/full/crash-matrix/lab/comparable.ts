import type { CallNames } from '../../../doors/testing.ts';

/** The data as text that is the same for the same data: ids of calls are replaced by their names. */
export const comparable = (data: unknown, names: CallNames): string =>
  renamed(JSON.stringify(data ?? null, untimed), names);

/** Facts carry the time of a clock that disturbances move. */
function untimed(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('slice' in value && 'fact' in value)) return value;
  return { ...value, at: undefined };
}

/** The same for what is kept under keys whose order says nothing. */
export function comparableState(data: unknown, names: CallNames): string {
  const text = JSON.stringify(data ?? null, (key, value: unknown) =>
    value instanceof Map ? [...value] : untimed(key, value),
  );
  const named: unknown = JSON.parse(renamed(text, names));
  return JSON.stringify(named, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const renamed = (text: string, names: CallNames): string =>
  text.replaceAll(AN_ID, (id) => names.get(id) ?? id);

/** Of calls, and of turns that are scheduled; plays number the others. */
const AN_ID = /\b(t\d+|[0-9a-f]{16})(\.\d+\.\d+)?\b/g;
