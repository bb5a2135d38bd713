import type { OutputFormat } from '../model/chat-model.ts';
import { reasonOf } from '../tool/async.ts';
import { kindOf } from '../tool/check-input.ts';
import { copyJson } from '../tool/copy-json.ts';
import { type DomainType, isDomainType } from '../tool/domain-type.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  toInputSchema,
} from '../tool/input-schema.ts';
import { isJsonObject, type Json, parseJson, shorten } from '../tool/json.ts';

/**
 * The type of answers for which this is declared as `output`: the schema's output, and any record for JSON Schema. Of a domain type its
 * JSON, the schema's input, as everywhere. `unknown` where there is no output.
 */
export type OutputOf<Declaration extends InputDeclaration> = Declaration extends undefined
  ? unknown
  : Declaration extends DomainType<string, unknown, infer Sent>
    ? Sent
    : InputOf<Declaration>;

/** The form that the answers of a loop must have, in every shape in which it is used. */
export interface AnswerForm {
  /** For adapters that can hold a model to it; absent where only words say it. */
  readonly format?: OutputFormat | undefined;
  /** The same in words, for every model. */
  readonly instruction: string;
  /** Where it is declared as a domain type: that. */
  readonly type?: DomainType | undefined;
  /** Never rejects. */
  parse(answer: string): Promise<ParsedAnswer>;
}

/** The answer as data, or everything that is wrong with it, one short line each, for the model to read. */
export type ParsedAnswer =
  | { readonly ok: true; readonly object: Json }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Returns the form of answers that a schema or a domain type describes.
 *
 * @throws InputSchemaError if it does not describe a JSON object.
 */
export function toAnswerForm(name: string, declared: InputDeclaration): AnswerForm | undefined {
  if (declared === undefined) return undefined;
  const schema = toInputSchema<InputDeclaration>(declared);
  const type = isDomainType(declared) ? declared : undefined;
  return {
    type,
    format: { name, schema: schema.json },
    instruction:
      'When you give your answer, write it as JSON text that matches this JSON Schema, and nothing else:\n' +
      JSON.stringify(schema.json),
    parse: (answer) => parseAnswer(schema, answer, type !== undefined),
  };
}

/**
 * Reads an answer as JSON text, bare or in a code fence, and checks it. Its object is the schema's output if that is
 * JSON, since only JSON survives the journal; else, or `asWritten`, what the model wrote. Never rejects.
 */
async function parseAnswer(
  schema: InputSchema<unknown>,
  answer: string,
  asWritten: boolean,
): Promise<ParsedAnswer> {
  const written = jsonIn(answer);
  if (written === undefined) return refused('It is not JSON text.');
  if (!isJsonObject(written)) return refused(`It is ${kindOf(written)}, not a JSON object.`);
  try {
    const parsed = await schema.parse(written);
    if (!parsed.ok) return parsed;
    const copy = copyJson(asWritten ? written : parsed.value);
    return { ok: true, object: copy.ok ? copy.value : written };
  } catch (cause) {
    // The schema's own code failed, which must not end the turn as if the Worker had.
    const reason = shorten(reasonOf(cause), 240);
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
