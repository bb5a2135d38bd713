/** An agent was declared wrongly; thrown where it is defined. */
export class AgentDefinitionError extends Error {
  override readonly name = 'AgentDefinitionError';
  /** The name that was given, valid or not. */
  readonly agent: string;
  /** The property of the definition that is wrong, such as `limits.iterations`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Agent 'x' ". */
  constructor(agent: string, field: string, problem: string, options?: ErrorOptions) {
    super(`Agent '${agent}' ${problem}.`, options);
    this.agent = agent;
    this.field = field;
  }
}
