import { type AnswerForm, toAnswerForm } from '../loop/answer-form.ts';
import { findLimitProblem } from '../loop/policies.ts';
import type { Limits } from '../tool/frame.ts';
import { type InputDeclaration, InputSchemaError } from '../tool/input-schema.ts';
import { shorten } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { readName, withFullStop } from '../tool/shown.ts';

/**
 * Returns the form of an agent's answers.
 *
 * @throws AgentDefinitionError if the output is not the schema of a JSON object, the form that models handle
 * well.
 */
export function toAgentOutput(agent: string, declared: InputDeclaration): AnswerForm | undefined {
  try {
    return toAnswerForm(agent, declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = `has an output that ${cause.problem}`;
    throw new AgentDefinitionError(agent, { field: 'output', problem }, { cause });
  }
}

/** @throws AgentDefinitionError if a limit is invalid. */
export function checkLimits(agent: string, limits: Limits | undefined): void {
  const fault = findLimitProblem(limits);
  if (!fault) return;
  const { path, value, use } = fault;
  const problem = `has a limit '${path}' of ${value}. Use ${use}`;
  throw new AgentDefinitionError(agent, { field: `limits.${path}`, problem });
}

/** Thrown by `defineAgent` if the definition is invalid. */
export class AgentDefinitionError extends Error {
  override readonly name = 'AgentDefinitionError';
  /** The given name, valid or not. */
  readonly agent: string;
  /** The invalid property of the definition, such as `limits.iterations`. */
  readonly field: string;

  /** `problem` completes the sentence "Agent 'x' ...". */
  constructor(
    agent: string,
    { field, problem }: { readonly field: string; readonly problem: string },
    options?: ErrorOptions,
  ) {
    super(`Agent '${shorten(agent, 80)}' ${withFullStop(problem)}`, options);
    this.agent = agent;
    this.field = field;
  }
}

/**
 * Checks the agent's literal in development.
 *
 * @throws AgentDefinitionError if a key is unknown, missing or of the wrong type, or if a list has an element
 * of the wrong type.
 */
export function checkAgentLiteral(config: unknown): void {
  const fault = literals?.fault(config, 'defineAgent');
  if (fault) throw new AgentDefinitionError(readName(config), fault);
}
