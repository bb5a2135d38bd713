import type { OutputFormat } from '../model/chat-model.ts';
import { getErrorMessage } from '../tool/async.ts';
import { describeKind } from '../tool/check-input.ts';
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
 * The type of an agent's answers, given its `output`: the output of a schema, the JSON (the schema's input)
 * of a domain type, any record for a JSON Schema, and `unknown` without an `output`.
 */
export type OutputOf<Declaration extends InputDeclaration> = Declaration extends undefined
  ? unknown
  : Declaration extends DomainType<string, unknown, infer Sent>
    ? Sent
    : InputOf<Declaration>;

/** The form that a loop's answers must have. */
export interface AnswerForm {
  /** The form for adapters that can enforce it. Absent if only the instruction states it. */
  readonly format?: OutputFormat | undefined;
  /** The same form as text, for every model. */
  readonly instruction: string;
  /** The domain type, if the form is declared as one. */
  readonly type?: DomainType | undefined;
  /** Parses and checks an answer. Never rejects. */
  parse(answer: string): Promise<ParsedAnswer>;
}

/** The answer as data, or all of its problems, each in one short line for the model to read. */
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
 * Parses an answer as JSON text, bare or in a code fence, and checks it. The object is the schema's output if
 * that is JSON, since only JSON can be journaled. Otherwise, or with `asWritten`, it is the object that the
 * model wrote. Never rejects.
 */
async function parseAnswer(
  schema: InputSchema<unknown>,
  answer: string,
  asWritten: boolean,
): Promise<ParsedAnswer> {
  const written = findJson(answer);
  if (written === undefined) return toParseFailure('It is not JSON text.');
  if (!isJsonObject(written)) return toParseFailure(`It is ${describeKind(written)}, not a JSON object.`);
  try {
    const parsed = await schema.parse(written);
    if (!parsed.ok) return parsed;
    const copy = copyJson(asWritten ? written : parsed.value);
    return { ok: true, object: copy.ok ? copy.value : written };
  } catch (cause) {
    // The schema's own code failed. This must not fail the turn.
    const reason = shorten(getErrorMessage(cause), 240);
    return toParseFailure(`It could not be checked: ${reason}`);
  }
}

const toParseFailure = (problem: string): ParsedAnswer => ({ ok: false, problems: [problem] });

/**
 * Finds JSON in an answer. Models put it in a code fence, sometimes with text around it, even if asked not
 * to.
 */
function findJson(answer: string): Json | undefined {
  const bare = parseJson(answer);
  return bare === undefined ? parseJson(getFencedText(answer)) : bare;
}

/**
 * Returns the text from the first fence to the last, since the JSON itself can contain fences. Without a
 * closing fence, reads to the end.
 */
function getFencedText(answer: string): string {
  const opened = /```(?:json)?\s/i.exec(answer);
  if (!opened) return '';
  const start = opened.index + opened[0].length;
  const end = answer.lastIndexOf('```');
  return answer.slice(start, end < start ? undefined : end);
}
