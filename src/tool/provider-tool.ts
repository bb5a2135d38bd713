import { checkNaming, ToolDefinitionError } from './check-definition.ts';
import type { AnyTool } from './tool.ts';
import { error } from './tool-result.ts';

/** A tool of a provider, as `openai.tools.webSearch({})` of the AI SDK makes it. */
export interface DeclaredProviderTool {
  readonly type: 'provider';
  /** Such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
  /** `false`: the provider only knows the tool, and its caller is to run it. */
  readonly isProviderExecuted?: boolean | undefined;
}

/** How a provider's tool is called among the tools of an agent. */
export interface ProviderToolOptions {
  /** Unless given, the word behind the dot of its id, without a date at its end: `web_search`. */
  readonly name?: string | undefined;
}

/**
 * Makes a tool of one that a model's provider runs itself, such as a web search. It stands among the tools of an agent as
 * any other; the model's calls of it and what came of them are parts of its reply, and we never run it. A model that
 * cannot be given it refuses it by name.
 *
 * @throws ToolDefinitionError when the name cannot be one, or the provider does not run the tool.
 */
export function providerTool(
  { id, args, isProviderExecuted }: DeclaredProviderTool,
  { name = nameIn(id) }: ProviderToolOptions = {},
): AnyTool {
  const description = `Run by the model's provider: ${id}.`;
  checkNaming(name, description);
  if (isProviderExecuted === false) {
    throw new ToolDefinitionError(name, 'id', `'${id}' is not run by its provider; use 'defineTool'.`);
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
    call: async () => error(`The tool '${name}' is run by the model's provider, and by nobody else.`),
  };
}

const nameIn = (id: string): string => id.slice(id.lastIndexOf('.') + 1).replace(/_\d{8}$/, '');
