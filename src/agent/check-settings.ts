import { type AnswerForm, toAnswerForm } from '../loop/answer-form.ts';
import { refusedModel } from '../loop/loop-seams.ts';
import { settingsFault } from '../loop/loop-settings.ts';
import { limitProblem, type Policies, policyProblem } from '../loop/policies.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { AgentSettings } from '../model/settings.ts';
import type { Limits } from '../tool/frame.ts';
import { type InputDeclaration, InputSchemaError } from '../tool/input-schema.ts';
import { shorten } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
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

/** @throws AgentDefinitionError if a module cannot be used with the agent's model. */
export function checkUses(agent: string, uses: readonly ModuleUse[], model: ChatModel | undefined): void {
  const problem = model && refusedModel(uses, model);
  if (problem) throw new AgentDefinitionError(agent, { field: 'use', problem });
}

/** @throws AgentDefinitionError when a limit cannot be one. */
export function checkLimits(agent: string, limits: Limits | undefined): void {
  mustFit(agent, ['limits', 'limit'], limitProblem(limits));
}

/** @throws AgentDefinitionError for a value inside the literal, if there is one that does not fit. */
function mustFit(
  agent: string,
  [field, what]: readonly [field: string, what: string],
  fault: Unfit | undefined,
): void {
  if (!fault) return;
  const { path, value, use } = fault;
  const problem = `has a ${what} '${path}' of ${value}: use ${use}`;
  throw new AgentDefinitionError(agent, { field: `${field}.${path}`, problem });
}

/** A value inside the literal, and what to write in its place. */
interface Unfit {
  readonly path: string;
  readonly value: unknown;
  readonly use: string;
}

/** @throws AgentDefinitionError when a setting cannot be followed, or not beside the others, by these tools or this model. */
export function checkSettings(
  agent: string,
  settings: AgentSettings | undefined,
  beside: Parameters<typeof settingsFault>[1],
): void {
  const fault = settingsFault(settings, beside);
  if (fault) throw new AgentDefinitionError(agent, fault);
}

/** In development: @throws AgentDefinitionError if a policy is unknown or has a value that cannot be followed. */
export function checkPolicies(agent: string, policies: Policies | undefined): void {
  mustFit(agent, ['policies', 'policy'], policyProblem(policies));
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
