import { checkNaming, ToolDefinitionError } from './check-definition.ts';
import type { AnyTool } from './tool.ts';
import { error } from './tool-result.ts';

/** A tool of a provider, such as `openai.tools.webSearch({})` of the AI SDK. */
export interface DeclaredProviderTool {
  readonly type: 'provider';
  /** Its id, such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
  /** `false` if the provider does not run the tool itself. */
  readonly isProviderExecuted?: boolean | undefined;
}

/** The name of a provider's tool among the tools of an agent. */
export interface ProviderToolOptions {
  /** Defaults to the part of its id after the dot, without a date at its end: `web_search`. */
  readonly name?: string | undefined;
}

/**
 * Creates a tool from one that a model's provider runs itself, such as a web search. Add it to the tools of
 * an agent. Its calls and results are parts of the model's reply, and Holdfast never runs it. An unsupported
 * tool causes an error that includes its name.
 *
 * @throws ToolDefinitionError if the name is invalid, or if the provider does not run the tool.
 *
 * @example
 * ```ts
 * const agent = defineAgent({
 *   name: 'clerk',
 *   description: 'Searches.',
 *   instructions: 'Search.',
 *   tools: [providerTool({ type: 'provider', id: 'openai.web_search', args: {}, isProviderExecuted: true })],
 * });
 * ```
 */
export function providerTool(
  { id, args, isProviderExecuted }: DeclaredProviderTool,
  { name = nameFromId(id) }: ProviderToolOptions = {},
): AnyTool {
  const description = `Run by the model's provider: ${id}.`;
  checkNaming(name, description);
  if (isProviderExecuted === false) {
    throw new ToolDefinitionError(name, 'id', `'${id}' is not run by its provider. Use 'defineTool'.`);
  }
  return {
    name,
    description,
    inputSchema: { type: 'object' },
    effect: 'none',
    returnDirect: false,
    metadata: {},
    providerTool: { id, args },
    check: async (value) => ({ ok: true, value }),
    call: async () => error(`The tool '${name}' can be run only by the model's provider.`),
  };
}

const nameFromId = (id: string): string => id.slice(id.lastIndexOf('.') + 1).replace(/_\d{8}$/, '');
