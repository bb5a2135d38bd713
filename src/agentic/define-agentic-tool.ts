import type { InputDeclaration, InputOf } from '../tools/input-schema.ts';
import type { ToolSource } from '../tools/resolution/tool-source.ts';
import { error } from '../tools/results.ts';
import type { Tool } from '../tools/tool.ts';
import { type AgenticConfig, agenticTool, type NestedInstructions } from './agentic-tool.ts';
import { toolsInside } from './tools-inside.ts';

/** The literal that `defineAgenticTool` takes. */
export interface AgenticToolConfig<Name extends string, Declaration extends InputDeclaration>
  extends AgenticConfig<Name, Declaration> {
  /** What the nested loop's model is told first: text, or a function that is asked before each of its model calls. */
  readonly instructions?: NestedInstructions<InputOf<Declaration>> | undefined;
  /** What the nested loop may call. As for an agent, but that objects without tools are left out (AGT-07). */
  readonly tools: readonly ToolSource[];
}

/**
 * Makes a tool that works with tools of its own: its call asks a model, in a nested loop of the same turn, until that has
 * an answer (AGT-03). It needs no session.
 *
 * @throws ToolDefinitionError when the tool cannot work; ToolObjectError as `toolsOf`.
 */
export function defineAgenticTool<
  const Name extends string,
  Declaration extends InputDeclaration = undefined,
>(config: AgenticToolConfig<Name, Declaration>): Tool<Name, InputOf<Declaration>, unknown> {
  const { name, description, instructions = defaultInstructions(description) } = config;
  const { tools, sources } = toolsInside(name, config.tools);
  const isEmpty = tools.length === 0 && sources.length === 0;
  return agenticTool(config, {
    inner: tools,
    loop: (input) =>
      isEmpty
        ? error('No tools available for SimpleAgenticTool')
        : {
            tools,
            sources,
            instructions:
              typeof instructions === 'string' ? instructions : (view) => instructions(view, input),
          },
  });
}

/** What a nested loop is told that was given no instructions (AGT-02). */
export const defaultInstructions = (description: string): string =>
  'You are an intelligent agent that can use tools to help you complete tasks. ' +
  `Use the provided tools to perform the following task: ${description}`;
