import type { AnswerForm } from '../tool-loop/loop.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  InputSchemaError,
  toInputSchema,
} from '../tools/input-schema.ts';
import { AgentDefinitionError } from './agent-definition-error.ts';
import { parseAnswer } from './parse-answer.ts';

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
    const problem = 'needs as its output the schema of a JSON object that can be written as JSON Schema';
    throw new AgentDefinitionError(agent, 'output', problem, { cause });
  }
}
