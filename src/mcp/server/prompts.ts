import type { PromptMessage } from '@modelcontextprotocol/sdk/types.js';

/** A value that a prompt is filled with; always a text. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
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
  /** What the client puts before its model. What it throws is logged, and not told. */
  readonly messages: (values: McpPromptValues<Arguments>) => McpPromptMessages | Promise<McpPromptMessages>;
}

/** A prompt that an endpoint publishes (MCP specification, Prompts), its types erased. A literal of it will do. */
export interface McpPrompt<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly title?: string | undefined;
  readonly arguments?: readonly McpPromptArgument[] | undefined;
  messages(values: Readonly<Record<string, string>>): McpPromptMessages | Promise<McpPromptMessages>;
}

/** Declares a prompt. Its values are checked before `messages` is asked: all that are required are there, and no other. */
export function defineMcpPrompt<
  const Name extends string,
  const Arguments extends readonly McpPromptArgument[] = readonly [],
>(config: McpPromptConfig<Name, Arguments>): McpPrompt<Name> {
  const { name, description, title, messages } = config;
  return {
    name,
    description,
    title,
    arguments: config.arguments,
    // What the endpoint has checked by the same arguments.
    messages: (values) => messages(values as McpPromptValues<Arguments>),
  };
}
