import type { ParsedAnswer } from '../tool-loop/loop.ts';
import { copyJson } from '../tools/copy-json.ts';
import type { InputSchema } from '../tools/input-schema.ts';
import { isJsonObject, type Json } from '../tools/json.ts';
import { shorten } from '../tools/json-text.ts';
import { kindOf } from '../tools/parse-tool-input.ts';

/**
 * Reads an answer as JSON text, bare or in a code fence, and checks it. Its object is the schema's output when that is
 * JSON, since only JSON survives the journal; else what the model wrote. Never rejects.
 */
export async function parseAnswer(schema: InputSchema<unknown>, answer: string): Promise<ParsedAnswer> {
  const written = jsonIn(answer);
  if (written === undefined) return refused('It is not JSON text.');
  if (!isJsonObject(written)) return refused(`It is ${kindOf(written)}, not a JSON object.`);
  try {
    const parsed = await schema.parse(written);
    if (!parsed.ok) return parsed;
    const copy = copyJson(parsed.value);
    return { ok: true, object: copy.ok ? copy.value : written };
  } catch (cause) {
    // The schema's own code failed, which must not end the turn as if the Worker had.
    const reason = shorten(cause instanceof Error ? cause.message : String(cause), 240);
    return refused(`It could not be checked: ${reason}`);
  }
}

const refused = (problem: string): ParsedAnswer => ({ ok: false, problems: [problem] });

/** Models wrap JSON in a fence, some with words around it, although they are asked not to. */
function jsonIn(answer: string): Json | undefined {
  const bare = parseJson(answer);
  return bare === undefined ? parseJson(fenced(answer)) : bare;
}

/** From the first fence to the last, since the JSON itself may hold one; or to the end, when none closes it. */
function fenced(answer: string): string {
  const opened = /```(?:json)?\s/i.exec(answer);
  if (!opened) return '';
  const start = opened.index + opened[0].length;
  const end = answer.lastIndexOf('```');
  return answer.slice(start, end < start ? undefined : end);
}

function parseJson(source: string): Json | undefined {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
