import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** The model's input as a JSON object, or what the model is told instead. */
export type ParsedToolInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the text that a model sent as the input of a call. Blank text is an empty object, which then goes through the
 * tool's own validation (TYP-05). The messages are the same on every engine and quote nothing of the text.
 */
export function parseToolInput(toolName: string, raw: string): ParsedToolInput {
  const trimmed = raw.trim();
  if (trimmed === '') return { ok: true, input: {} };
  const parsed = parseJson(trimmed);
  if (parsed === undefined) return refused(toolName, `is not valid JSON: ${guessReason(trimmed)}`);
  if (!isJsonObject(parsed)) return refused(toolName, `is ${kindOf(parsed)}, not a JSON object`);
  return { ok: true, input: parsed };
}

const refused = (toolName: string, problem: string): ParsedToolInput => ({
  ok: false,
  message: `The input of tool '${toolName}' ${problem}. Send one JSON object that matches its schema.`,
});

function parseJson(source: string): Json | undefined {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** The usual slips of models, from outside to inside. */
function guessReason(source: string): string {
  if (source.startsWith('```')) return 'it is wrapped in a code fence';
  if (!source.startsWith('{')) return "it does not begin with '{'";
  if (!source.endsWith('}')) return "it does not end with '}', so it may be cut off";
  return 'a quote, comma or bracket in it is missing, wrong or not escaped';
}

/** What a JSON value is that is not an object, with its article. */
export function kindOf(value: Exclude<Json, JsonObject>): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
