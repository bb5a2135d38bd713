import { isJsonObject, type Json, type JsonObject } from '../tools/json.ts';
import { own } from '../tools/own.ts';

/** What stands at a path of a payload, where anything may stand. Own properties only. */
export const look = (from: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? own(at, key) : undefined), from);

/** The text at a path that is not blank. */
export function textAt(from: Json | undefined, ...path: readonly string[]): string | undefined {
  const value = look(from, ...path);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The whole number at a path. */
export function numberAt(from: Json | undefined, ...path: readonly string[]): number | undefined {
  const value = look(from, ...path);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** The object at a path. */
export function objectAt(from: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const value = look(from, ...path);
  return isJsonObject(value) ? value : undefined;
}

/** The object without the members that are `undefined`: what is journaled is JSON. */
export const known = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
