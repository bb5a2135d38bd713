import type { CallNames } from '../../../doors/testing.ts';

/** Serializes data, with call ids replaced by names, so that equal data has equal text. */
export const toComparableJson = (data: unknown, names: CallNames): string =>
  renameIds(JSON.stringify(data ?? null, withoutTime), names);

/** Removes the times of facts, because a disturbance changes the clock. */
function withoutTime(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('slice' in value && 'fact' in value)) return value;
  return { ...value, at: undefined };
}

/** Serializes data whose keys have no significant order. */
export function toComparableState(data: unknown, names: CallNames): string {
  const text = JSON.stringify(data ?? null, (key, value: unknown) =>
    value instanceof Map ? [...value] : withoutTime(key, value),
  );
  const named: unknown = JSON.parse(renameIds(text, names));
  return JSON.stringify(named, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const renameIds = (text: string, names: CallNames): string =>
  text.replaceAll(ID_PATTERN, (id) => names.get(id) ?? id);

/** Matches the ids of calls and scheduled turns. A play numbers all other turns. */
const ID_PATTERN = /\b(t\d+|[0-9a-f]{16})(\.\d+\.\d+)?\b/g;
