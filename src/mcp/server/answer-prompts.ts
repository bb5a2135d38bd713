import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type Json, type JsonObject } from '../../tools/json.ts';
import { shorten } from '../../tools/json-text.ts';
import { invalidParams } from '../rpc-error.ts';
import type { McpPrompt, McpPromptArgument } from './define-mcp-prompt.ts';

/** What `prompts/list` answers (MCP specification, Prompts). */
export const listPrompts = (prompts: ReadonlyMap<string, McpPrompt>): ListPromptsResult => ({
  prompts: Array.from(prompts.values(), ({ name, title, description, arguments: args = [] }) => ({
    name,
    ...(title !== undefined && { title }),
    description,
    ...(args.length > 0 && { arguments: args.map(toListed) }),
  })),
});

const toListed = ({ name, description, required = false }: McpPromptArgument) => ({
  name,
  ...(description !== undefined && { description }),
  required,
});

/**
 * What `prompts/get` answers.
 *
 * @throws RpcError when there is no such prompt, or its arguments are not what it asks for; what `messages` throws.
 */
export async function getPrompt(
  prompts: ReadonlyMap<string, McpPrompt>,
  params: JsonObject,
): Promise<GetPromptResult> {
  const { name, arguments: sent = {} } = params;
  const prompt = typeof name === 'string' ? prompts.get(name) : undefined;
  if (!prompt) throw invalidParams(unknownPrompt(name, prompts));
  const problems = problemsOf(prompt, sent);
  if (problems.length > 0) {
    throw invalidParams(`The arguments of prompt '${prompt.name}' are not valid: ${problems.join('; ')}.`);
  }
  const messages = await prompt.messages(sent as Record<string, string>); // as just checked
  return {
    description: prompt.description,
    messages:
      typeof messages === 'string'
        ? [{ role: 'user', content: { type: 'text', text: messages } }]
        : [...messages],
  };
}

function unknownPrompt(name: Json | undefined, prompts: ReadonlyMap<string, McpPrompt>): string {
  const wanted =
    typeof name === 'string' ? `There is no prompt '${shorten(name, 64)}'.` : '`name` must be text.';
  return `${wanted} Available prompts: [${[...prompts.keys()].join(', ')}].`;
}

function problemsOf({ arguments: declared = [] }: McpPrompt, sent: Json): readonly string[] {
  if (!isJsonObject(sent)) return ['they must be an object'];
  const missing = declared.filter(({ name, required }) => required && sent[name] === undefined);
  const names = new Set(declared.map(({ name }) => name));
  return [
    ...missing.map(({ name }) => `${name}: is missing`),
    ...Object.entries(sent).flatMap(([name, value]) => {
      if (!names.has(name)) return [`${shorten(name, 40)}: is not known here`];
      return typeof value === 'string' ? [] : [`${name}: must be text`];
    }),
  ];
}
