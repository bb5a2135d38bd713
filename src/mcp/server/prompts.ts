import type {
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  PromptMessage,
} from '@modelcontextprotocol/server';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { isJsonObject, type Json, type JsonObject, own, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import { invalidParams } from '../content/rpc.ts';
import { Asking, type McpPromptCall, mayAsk } from './ask-client.ts';
import type { AskingClient } from './caller.ts';
import type { McpCompleting } from './define-mcp-resource.ts';
import { McpEndpointDefinitionError } from './publish.ts';

/** A value that a prompt is filled with; always a text. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
  /** Suggests values to a person who types one. */
  readonly complete?: McpCompleting | undefined;
}

/** The values of these arguments: those that are required are there, of the others some may be. */
export type McpPromptValues<Arguments extends readonly McpPromptArgument[]> = {
  readonly [Argument in Arguments[number] as Argument extends { readonly required: true }
    ? Argument['name']
    : never]: string;
} & {
  readonly [Argument in Arguments[number] as Argument extends { readonly required: true }
    ? never
    : Argument['name']]?: string | undefined;
};

/** One message, or one text of the user. */
export type McpPromptMessages = string | readonly PromptMessage[];

/** The literal that `defineMcpPrompt` takes. */
export interface McpPromptConfig<Name extends string, Arguments extends readonly McpPromptArgument[]> {
  readonly name: Name;
  /** What it is for, for the person who chooses it. */
  readonly description: string;
  /** Its name as people are shown it. */
  readonly title?: string | undefined;
  readonly arguments?: Arguments | undefined;
  /** What the client puts before its model; `askClient` takes the `call`. The client is not told what it throws, which is logged. */
  readonly messages: (
    values: McpPromptValues<Arguments>,
    call: McpPromptCall,
  ) => McpPromptMessages | Promise<McpPromptMessages>;
}

/** A prompt that an endpoint publishes (MCP specification, Prompts), its types erased. A literal of it will do. */
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
 * Declares a prompt. Its values are checked before `messages` is asked: all that are required are there, and no other.
 *
 * @throws McpEndpointDefinitionError when a key of the literal is not known, one is missing, a value is of another kind, a name is blank, or
 *   two arguments have one.
 *
 * @example
 * ```ts
 * const summary = defineMcpPrompt({
 *   name: 'summarise_order',
 *   description: 'Summarises an order.',
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
    // The endpoint has checked them by the same arguments.
    messages: (values, call) => messages(values as McpPromptValues<Arguments>, call),
  };
}

/** @throws McpEndpointDefinitionError when the literal of a prompt cannot work. */
export function checkPrompt(config: Pick<McpPrompt, 'name' | 'arguments'>): void {
  const refuse = (problem: string): McpEndpointDefinitionError =>
    new McpEndpointDefinitionError('prompts', `the prompt '${nameIn(config)}' ${ended(problem)}`);
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw refuse(fault.problem);
  if (config.name.trim() === '') throw refuse('has a name that is blank');
  const { arguments: args = [] } = config;
  for (const [index, argument] of args.entries()) {
    const problem = literals?.fault(argument, ARGUMENT)?.problem;
    if (problem !== undefined) throw refuse(`has an argument at index ${index} that ${problem}`);
    const { name } = argument;
    if (name.trim() === '') throw refuse(`has an argument at index ${index} whose name is blank`);
    if (args.findIndex((other) => other.name === name) < index)
      throw refuse(`has two arguments called '${shorten(name, 80)}'`);
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

/** Answers `prompts/list` (MCP specification, Prompts). */
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
 * Answers `prompts/get`, or what the client is asked first.
 *
 * @throws RpcError when there is no such prompt, or its arguments are not what it asks for; what `messages` throws.
 */
export async function getPrompt(
  prompts: ReadonlyMap<string, McpPrompt>,
  params: JsonObject,
  client: AskingClient,
): Promise<GetPromptResult | InputRequiredResult> {
  const { name, arguments: sent = {} } = params;
  const prompt = typeof name === 'string' ? prompts.get(name) : undefined;
  if (!prompt) throw invalidParams(unknownPrompt(name, prompts));
  const problems = problemsOf(prompt, sent);
  if (problems.length > 0) {
    throw invalidParams(`The arguments of prompt '${prompt.name}' are not valid: ${problems.join('; ')}.`);
  }
  const asking = await Asking.of(client, { about: ['prompts/get', prompt.name, sent], key: '' });
  const call: McpPromptCall = { prompt: prompt.name };
  mayAsk(call, asking);
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

/** Says that there is no such prompt, and which there are. */
export function unknownPrompt(name: Json | undefined, prompts: ReadonlyMap<string, McpPrompt>): string {
  const wanted =
    typeof name === 'string' ? `There is no prompt '${shorten(name, 64)}'.` : '`name` must be text.';
  return `${wanted} Available prompts: [${[...prompts.keys()].join(', ')}].`;
}

function problemsOf({ arguments: declared = [] }: McpPrompt, sent: Json): readonly string[] {
  if (!isJsonObject(sent)) return ['they must be an object'];
  const missing = declared.filter(({ name, required }) => required && own(sent, name) === undefined);
  const names = new Set(declared.map(({ name }) => name));
  return [
    ...missing.map(({ name }) => `${name}: is missing`),
    ...Object.entries(sent).flatMap(([name, value]) => {
      if (!names.has(name)) return [`${shorten(name, 40)}: is not known here`];
      return typeof value === 'string' ? [] : [`${name}: must be text`];
    }),
  ];
}
