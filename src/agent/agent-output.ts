import type { AnswerForm, ParsedAnswer } from '../loop/loop.ts';
import { kindOf } from '../tool/check-input.ts';
import { copyJson } from '../tool/copy-json.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  InputSchemaError,
  toInputSchema,
} from '../tool/input-schema.ts';
import { isJsonObject, type Json, parseJson, shorten } from '../tool/json.ts';
import { AgentDefinitionError } from './check-settings.ts';

/** The type of an agent's answers: the schema's output, any record for JSON Schema, unknown without an output. */
export type OutputOf<Declaration extends InputDeclaration> = Declaration extends undefined
  ? unknown
  : InputOf<Declaration>;

/** The form that an agent's answers must have. Made once an agent. */
export type AgentOutput = AnswerForm;

/** @throws AgentDefinitionError when the schema is not one of a JSON object, which is what models are good at. */
export function toAgentOutput(
  agent: string,
  declared: InputDeclaration | undefined,
): AgentOutput | undefined {
  if (declared === undefined) return undefined;
  const schema = readSchema(agent, declared);
  return {
    format: { name: agent, schema: schema.json },
    instruction:
      'When you give your answer, write it as JSON text that matches this JSON Schema, and nothing else:\n' +
      JSON.stringify(schema.json),
    parse: (answer) => parseAnswer(schema, answer),
  };
}

function readSchema(agent: string, declared: InputDeclaration): InputSchema<unknown> {
  try {
    return toInputSchema(declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = `has an output that ${cause.problem}`;
    throw new AgentDefinitionError(agent, { field: 'output', problem }, { cause });
  }
}

/**
 * Reads an answer as JSON text, bare or in a code fence, and checks it. Its object is the schema's output when that is
 * JSON, since only JSON survives the journal; else what the model wrote. Never rejects.
 */
async function parseAnswer(schema: InputSchema<unknown>, answer: string): Promise<ParsedAnswer> {
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
