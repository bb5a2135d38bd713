/**
 * Finds the parts of a state that differ from the state at the previous event. Compares each memory
 * separately.
 */
import type { JsonObject } from '../../../../tool/json.ts';

export function changedKeys(before: JsonObject | undefined, now: JsonObject): ReadonlySet<string> {
  const was = flat(before ?? {});
  return new Set([...flat(now)].filter(([key, text]) => was.get(key) !== text).map(([key]) => key));
}

const flat = ({ memory, ...others }: JsonObject): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(others).map(([key, value]): [string, string] => [key, JSON.stringify(value)]),
    ...Object.entries(Object(memory)).map(([key, value]): [string, string] => [
      `memory.${key}`,
      JSON.stringify(value),
    ]),
  ]);
