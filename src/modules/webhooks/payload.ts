import { isJsonObject, type Json, type JsonObject, own } from '../../tool/json.ts';
import { WebhookRefusal } from './webhook.ts';

/** A body that is JSON, or a form: of a form, `payload` is the JSON in its field of that name. */
interface ReadBody {
  readonly payload: JsonObject | undefined;
  /** It is absent when the body is JSON. */
  readonly form?: URLSearchParams | undefined;
}

/** The body as a JSON object. @throws WebhookRefusal `bad-json` when it is none, or nested too deeply. */
export const readJson = (body: Uint8Array): JsonObject => parseObject(readText(body), 'The body');

/**
 * Reads what may be JSON or a form with JSON in its field `payload`. The body tells which it is: it is signed, and a content
 * type is not. @throws WebhookRefusal `bad-json` when the JSON is not an object or nested too deeply, or the body not UTF-8.
 */
export function readJsonOrForm(body: Uint8Array): ReadBody {
  const text = readText(body);
  if (!/^\s*[\w.%+-]+=/.test(text)) return { payload: parseObject(text, 'The body') };
  const form = new URLSearchParams(text);
  const payload = form.get('payload');
  return { payload: payload === null ? undefined : parseObject(payload, 'The field payload'), form };
}

function readText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
  } catch {
    throw new WebhookRefusal('bad-json', 'The body is not UTF-8.');
  }
}

function parseObject(text: string, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new WebhookRefusal('bad-json', `${what} is not JSON.`);
  }
  if (isDeeper(value, MAX_DEPTH)) {
    throw new WebhookRefusal('bad-json', `${what} is nested more than ${MAX_DEPTH} deep.`);
  }
  if (isJsonObject(value)) return value;
  throw new WebhookRefusal('bad-json', `${what} is not a JSON object.`);
}

/** `JSON.parse` takes any depth, and nothing that walks through a payload later does. No sender comes near. */
const MAX_DEPTH = 100;

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)));

/** Finds what stands at a path of a payload, where anything may stand. It reads own properties only. */
export const at = (from: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? own(at, key) : undefined), from);

/** The text at a path that is not blank. */
export function textAt(from: Json | undefined, ...path: readonly string[]): string | undefined {
  const value = at(from, ...path);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The whole number at a path. */
export function numberAt(from: Json | undefined, ...path: readonly string[]): number | undefined {
  const value = at(from, ...path);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** The object at a path. */
export function objectAt(from: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const value = at(from, ...path);
  return isJsonObject(value) ? value : undefined;
}

/** The object without the members that are `undefined`: what is journaled is JSON. */
export const defined = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
