import { shorten } from '../../tool/json.ts';

/** An MCP client was declared in a way that cannot work. Thrown where it is defined, never in a turn. */
export class McpClientDefinitionError extends Error {
  override readonly name = 'McpClientDefinitionError';
  /** The name that was given, valid or not. */
  readonly client: string;
  /** The property of the definition that is wrong, such as `effects.write_file`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "MCP client 'x': ". */
  constructor(client: string, field: string, problem: string) {
    super(`MCP client '${shorten(client, 80)}': ${problem}`);
    this.client = client;
    this.field = field;
  }
}
