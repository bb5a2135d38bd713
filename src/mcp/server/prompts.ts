import type {
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  PromptMessage,
} from '@modelcontextprotocol/server';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { getOwn, isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import { createInvalidParamsError } from '../content/rpc.ts';
import { allowAsking, ClientQuestions, type McpPromptCall } from './ask-client.ts';
import type { AskingClient } from './caller.ts';
import type { McpCompleter } from './define-mcp-resource.ts';
import { McpEndpointDefinitionError } from './publish.ts';

/** An argument of a prompt. Its value is always a text. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
  /** Suggests values while a person types. */
  readonly complete?: McpCompleter | undefined;
}

/** The values of these arguments. Required ones are present, others can be absent. */
export type McpPromptValues<Arguments extends readonly McpPromptArgument[]> = {
  readonly [Argument in Arguments[number] as Argument extends { readonly required: true }
    ? Argument['name']
    : never]: string;
} & {
  readonly [Argument in Arguments[number] as Argument extends { readonly required: true }
    ? never
    : Argument['name']]?: string | undefined;
};

/** A list of messages, or one text from the user. */
export type McpPromptMessages = string | readonly PromptMessage[];

/** The argument of `defineMcpPrompt`. */
export interface McpPromptConfig<Name extends string, Arguments extends readonly McpPromptArgument[]> {
  readonly name: Name;
  /** The purpose, for the person who chooses it. */
  readonly description: string;
  /** The name to display to people. */
  readonly title?: string | undefined;
  readonly arguments?: Arguments | undefined;
  /**
   * Returns the messages for the client's model. Pass `call` to `askClient`. Errors are logged, and not sent
   * to the client.
   */
  readonly messages: (
    values: McpPromptValues<Arguments>,
    call: McpPromptCall,
  ) => McpPromptMessages | Promise<McpPromptMessages>;
}

/**
 * A prompt that an endpoint publishes (MCP specification, Prompts), without its specific types. A plain
 * object also works.
 */
export interface McpPrompt<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly title?: string | undefined;
  readonly arguments?: readonly McpPromptArgument[] | undefined;
  messages(
    values: Readonly<Record<string, string>>,
    call: McpPromptCall,
  ): McpPromptMessages | Promise<McpPromptMessages>;
}

/**
 * Declares a prompt. Values are checked before `messages` runs: all required ones are present, and there are
 * no others.
 *
 * @throws McpEndpointDefinitionError if a key is unknown or missing, a value has the wrong type, a name is
 * blank, or two arguments share a name.
 *
 * @example
 * ```ts
 * const summary = defineMcpPrompt({
 *   name: 'summarize_order',
 *   description: 'Summarizes an order.',
 *   arguments: [{ name: 'order', required: true }],
 *   messages: ({ order }) => `Summarize order ${order} in one sentence.`,
 * });
 * ```
 */
export function defineMcpPrompt<
  const Name extends string,
  const Arguments extends readonly McpPromptArgument[],
>(config: McpPromptConfig<Name, Arguments>): McpPrompt<Name> {
  checkPrompt(config);
  const { name, description, title, messages } = config;
  return {
    name,
    description,
    title,
    arguments: config.arguments,
    // The endpoint has checked the values by the same arguments.
    messages: (values, call) => messages(values as McpPromptValues<Arguments>, call),
  };
}

/** @throws McpEndpointDefinitionError if the definition is invalid. */
export function checkPrompt(config: Pick<McpPrompt, 'name' | 'arguments'>): void {
  const createError = (problem: string): McpEndpointDefinitionError =>
    new McpEndpointDefinitionError('prompts', `the prompt '${readName(config)}' ${withFullStop(problem)}`);
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw createError(fault.problem);
  if (config.name.trim() === '') throw createError('has a blank name');
  const { arguments: args = [] } = config;
  for (const [index, argument] of args.entries()) {
    const problem = literals?.fault(argument, ARGUMENT)?.problem;
    if (problem !== undefined) throw createError(`has an argument at index ${index} that ${problem}`);
    const { name } = argument;
    if (name.trim() === '') throw createError(`has an argument at index ${index} whose name is blank`);
    if (args.findIndex((other) => other.name === name) < index)
      throw createError(`has two arguments called '${shorten(name, 80)}'`);
  }
}

const SHAPE = {
  of: 'defineMcpPrompt',
  keys: { name: 'text', description: 'text', title: 'text', arguments: 'list', messages: 'function' },
  required: ['name', 'description', 'messages'],
  foreign: { args: 'arguments', argsSchema: 'arguments', prompt: 'messages', get: 'messages' },
} satisfies LiteralShape<keyof McpPromptConfig<string, []>>;

const ARGUMENT = {
  of: 'an argument of a prompt',
  keys: { name: 'text', description: 'text', required: 'flag', complete: 'function' },
  required: ['name'],
} satisfies LiteralShape<keyof McpPromptArgument>;

/** Handles `prompts/list` (MCP specification, Prompts). */
export const listPrompts = (prompts: ReadonlyMap<string, McpPrompt>): ListPromptsResult => ({
  prompts: Array.from(prompts.values(), ({ name, title, description, arguments: args = [] }) => ({
    name,
    ...(title !== undefined && { title }),
    description,
    ...(args.length > 0 && { arguments: args.map(toListedPrompt) }),
  })),
});

const toListedPrompt = ({ name, description, required = false }: McpPromptArgument) => ({
  name,
  ...(description !== undefined && { description }),
  required,
});

/**
 * Handles `prompts/get`. Returns the messages, or the questions to the client.
 *
 * @throws RpcError for an unknown prompt or invalid arguments. Errors from `messages` pass through.
 */
export async function getPrompt(
  prompts: ReadonlyMap<string, McpPrompt>,
  params: JsonObject,
  client: AskingClient,
): Promise<GetPromptResult | InputRequiredResult> {
  const { name, arguments: sent = {} } = params;
  const prompt = typeof name === 'string' ? prompts.get(name) : undefined;
  if (!prompt) throw createInvalidParamsError(formatUnknownPrompt(name, prompts));
  const problems = listArgumentProblems(prompt, sent);
  if (problems.length > 0) {
    throw createInvalidParamsError(
      `The arguments of prompt '${prompt.name}' are not valid: ${problems.join('; ')}.`,
    );
  }
  const asking = await ClientQuestions.of(client, { about: ['prompts/get', prompt.name, sent], key: '' });
  const call: McpPromptCall = { prompt: prompt.name };
  allowAsking(call, asking);
  const values = sent as Record<string, string>; // as just checked
  return asking.orAsked(async () => {
    const messages = await prompt.messages(values, call);
    return {
      description: prompt.description,
      messages:
        typeof messages === 'string'
          ? [{ role: 'user', content: { type: 'text', text: messages } }]
          : [...messages],
    };
  });
}

/** Returns the text for an unknown prompt, with the names of the known ones. */
export function formatUnknownPrompt(name: Json | undefined, prompts: ReadonlyMap<string, McpPrompt>): string {
  const wanted =
    typeof name === 'string' ? `There is no prompt '${shorten(name, 64)}'.` : '`name` must be text.';
  return `${wanted} Available prompts: [${[...prompts.keys()].join(', ')}].`;
}

function listArgumentProblems({ arguments: declared = [] }: McpPrompt, sent: Json): readonly string[] {
  if (!isJsonObject(sent)) return ['they must be an object'];
  const missing = declared.filter(({ name, required }) => required && getOwn(sent, name) === undefined);
  const names = new Set(declared.map(({ name }) => name));
  return [
    ...missing.map(({ name }) => `${name}: is missing`),
    ...Object.entries(sent).flatMap(([name, value]) => {
      if (!names.has(name)) return [`${shorten(name, 40)}: is not known here`];
      return typeof value === 'string' ? [] : [`${name}: must be text`];
    }),
  ];
}
