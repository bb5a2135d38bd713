/** An MCP endpoint was declared in a way that cannot work. Thrown where it is defined, never in a request. */
export class McpEndpointDefinitionError extends Error {
  override readonly name = 'McpEndpointDefinitionError';
  /** The property of the definition that is wrong, such as `tools[2]`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "MCP endpoint: ". */
  constructor(field: string, problem: string) {
    super(`MCP endpoint: ${problem}`);
    this.field = field;
  }
}
