import { getErrorMessage } from './async.ts';
import type { InputSchema } from './input-schema.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema, parseJson, shorten } from './json.ts';
import type { CheckedInput } from './problem-lines.ts';
import type { AnyTool, CallRun, ToolInput } from './tool.ts';
import { createFailureResult, error, type ToolResult } from './tool-result.ts';

/**
 * Parses the text that a model sent as the input of a call. Blank text becomes an empty object, which the
 * tool's own validation then checks. The messages are the same on every engine and do not quote the text.
 */
export function parseToolInput(toolName: string, raw: string): ParsedToolInput {
  const trimmed = raw.trim();
  if (trimmed === '') return { ok: true, input: {} };
  const parsed = parseJson(trimmed);
  if (parsed === undefined) return createInputRefusal(toolName, `is not valid JSON: ${guessReason(trimmed)}`);
  if (!isJsonObject(parsed))
    return createInputRefusal(toolName, `is ${describeKind(parsed)}, not a JSON object`);
  return { ok: true, input: parsed };
}

/** The model's input as a JSON object, or the error message for the model. */
export type ParsedToolInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly message: string };

const createInputRefusal = (toolName: string, problem: string): ParsedToolInput => ({
  ok: false,
  message: `The input of tool '${toolName}' ${problem}.${SEND_OBJECT_ADVICE}`,
});

/** The advice for a model after a bad input, at the end of the error. */
const SEND_OBJECT_ADVICE = ' Send one JSON object that matches its schema.';
const CALL_AGAIN_ADVICE = '\nCall it again with a corrected input.';

/** Returns an input error without the advice for a model, for an input that no model wrote. */
export function withoutAdvice(message: string): string {
  const advice = [SEND_OBJECT_ADVICE, CALL_AGAIN_ADVICE].find((one) => message.endsWith(one)) ?? '';
  return message.slice(0, message.length - advice.length);
}

/** Returns the likely mistake of the model, checked from the outside in. */
function guessReason(source: string): string {
  if (source.startsWith('```')) return 'it is wrapped in a code fence';
  if (!source.startsWith('{')) return "it does not begin with '{'";
  if (!source.endsWith('}')) return "it does not end with '}', so it may be cut off";
  return 'a quote, comma or bracket in it is missing, wrong or not escaped';
}

/** Returns the kind of a JSON value other than an object, with its article. */
export function describeKind(value: Exclude<Json, JsonObject>): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/**
 * Checks the input of a call before any other work. The error lists every problem, so that the model can fix
 * all of them at once. Never rejects.
 */
export async function checkInput<Value>(
  schema: InputSchema<Value>,
  input: JsonObject,
  tool: string,
): Promise<CheckedInput<Value>> {
  try {
    const parsed = await schema.parse(input);
    return parsed.ok ? parsed : createInvalidInputResult(tool, parsed.problems);
  } catch (cause) {
    // The schema's code failed. The failure must not end the turn, and does not mean that the input is
    // invalid.
    const reason = shorten(getErrorMessage(cause), 240);
    return {
      ok: false,
      answer: error(`Tool '${tool}' did not run: its input could not be checked: ${reason}`),
    };
  }
}

/** Checks the input of a running call. */
export const checkCall = <Value>(
  schema: InputSchema<Value>,
  input: JsonObject,
  call: Pick<CallRun, 'during' | 'tool'>,
): Promise<CheckedInput<Value>> =>
  call.during('its input schema', () => checkInput(schema, input, call.tool));

/** Returns the failed check of an input with these problems. */
export const createInvalidInputResult = (tool: string, problems: readonly string[]): CheckedInput<never> => ({
  ok: false,
  problems,
  answer: createFailureResult(
    'invalid-input',
    `The input of tool '${tool}' is not valid:\n- ${problems.join('\n- ')}${CALL_AGAIN_ADVICE}`,
  ),
});

/** Returns a `call` that runs only with valid input. An invalid input returns the tool's own error. */
export const withCheckedInput =
  <T extends AnyTool>(tool: T, act: (call: CheckedCall<T>) => Promise<ToolResult>): AnyTool['call'] =>
  async (input, call) => {
    const checked = await call.during('its input schema', () => tool.check(input, call.tool));
    if (!checked.ok) return checked.answer;
    return act({ input, typed: checked.value as ToolInput<T>, call }); // `check` returns this type.
  };

/** A call whose input is valid. */
interface CheckedCall<T extends AnyTool> {
  /** The input as the model sent it. */
  readonly input: JsonObject;
  readonly typed: ToolInput<T>;
  readonly call: CallRun;
}

/**
 * Returns a copy of an input in which quoted numbers and booleans are converted, if the schema asks for one
 * and does not allow a string: `"42"` becomes `42`, and only `"true"` and `"false"` become booleans. All
 * other values are left to validation. Follows properties, items and alternatives, but no `$ref`.
 */
export const coerceInput = (input: JsonObject, schema: JsonSchema): JsonObject => {
  const coerced = coerce(input, schema);
  return isJsonObject(coerced) ? coerced : input;
};

function coerce(value: Json, schema: unknown): Json {
  if (typeof value === 'string') return coerceText(value, getSchemaTypes(schema));
  if (Array.isArray(value)) {
    const items = listSchemaAlternatives(schema).find((one) => isJsonObject(one.items))?.items;
    return items === undefined ? value : value.map((item: Json) => coerce(item, items));
  }
  if (!isJsonObject(value)) return value;
  const properties = listSchemaAlternatives(schema).flatMap((one) =>
    isJsonObject(one.properties) ? [one.properties] : [],
  );
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const known = properties.find((one) => Object.hasOwn(one, key));
    return [key, known ? coerce(item, known[key]) : item];
  });
  return Object.fromEntries(entries);
}

function coerceText(text: string, types: ReadonlySet<unknown>): Json {
  if (types.has('string')) return text;
  if ((types.has('number') || types.has('integer')) && isLosslessNumber(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Returns whether a text is a JSON number that keeps all digits when parsed. A long id would lose some. */
const isLosslessNumber = (text: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) &&
  Number.isFinite(Number(text)) &&
  (Number.isSafeInteger(Number(text)) || !Number.isInteger(Number(text)));

/**
 * Returns the types that a schema allows: its `type`, or the types of its `enum` or `const`. Defaults to
 * strings.
 */
function getSchemaTypes(schema: unknown): ReadonlySet<unknown> {
  return new Set(
    listSchemaAlternatives(schema).flatMap(({ type, enum: values, const: value }) => {
      if (type !== undefined) return type;
      const listed = Array.isArray(values) ? values : value === undefined ? [] : [value];
      return listed.length === 0 ? ['string'] : listed.map((one) => typeof one);
    }),
  );
}

/** Returns a schema, or its alternatives if it has any. */
function listSchemaAlternatives(schema: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.flatMap(listSchemaAlternatives) : [schema];
}

/** The tool that a call is for, and its input if it differs from that of the call. */
export interface RoutedTool {
  readonly tool: AnyTool;
  readonly input?: JsonObject | undefined;
}

/** Follows `route` to the tool that a call is for, since an unfolding tool can represent another tool. */
export function resolveRoute(tool: AnyTool, { input: sent }: { readonly input: string }): RoutedTool {
  if (!tool.route) return { tool };
  const parsed = parseToolInput(tool.name, sent);
  return (parsed.ok && tool.route(parsed.input)) || { tool };
}
