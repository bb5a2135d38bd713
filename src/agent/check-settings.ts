import { type AnswerForm, toAnswerForm } from '../loop/answer-form.ts';
import { limitProblem } from '../loop/policies.ts';
import type { Limits } from '../tool/frame.ts';
import { type InputDeclaration, InputSchemaError } from '../tool/input-schema.ts';
import { shorten } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { ended, nameIn } from '../tool/shown.ts';

/** @throws AgentDefinitionError if the output is not the schema of a JSON object, which is what models are good at. */
export function readOutput(agent: string, declared: InputDeclaration): AnswerForm | undefined {
  try {
    return toAnswerForm(agent, declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = `has an output that ${cause.problem}`;
    throw new AgentDefinitionError(agent, { field: 'output', problem }, { cause });
  }
}

/** @throws AgentDefinitionError when a limit cannot be one. */
export function checkLimits(agent: string, limits: Limits | undefined): void {
  const fault = limitProblem(limits);
  if (!fault) return;
  const { path, value, use } = fault;
  const problem = `has a limit '${path}' of ${value}: use ${use}`;
  throw new AgentDefinitionError(agent, { field: `limits.${path}`, problem });
}

/** An agent was declared wrongly; thrown where it is defined. */
export class AgentDefinitionError extends Error {
  override readonly name = 'AgentDefinitionError';
  /** The name that was given, valid or not. */
  readonly agent: string;
  /** The property of the definition that is wrong, such as `limits.iterations`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Agent 'x' ". */
  constructor(
    agent: string,
    { field, problem }: { readonly field: string; readonly problem: string },
    options?: ErrorOptions,
  ) {
    super(`Agent '${shorten(agent, 80)}' ${ended(problem)}`, options);
    this.agent = agent;
    this.field = field;
  }
}

/** In development: @throws AgentDefinitionError if a key of the literal is unknown, missing or of another kind, or a list holds something else. */
export function checkAgentLiteral(config: unknown): void {
  const fault = literals?.fault(config, 'defineAgent');
  if (fault) throw new AgentDefinitionError(nameIn(config), fault);
}
