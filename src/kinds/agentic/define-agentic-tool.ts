import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { Tool } from '../../tool/tool.ts';
import { agenticTool, defaultInstructions, type InstructedConfig } from './agentic-tool.ts';
import { toolsInside } from './tools-inside.ts';

/** The literal that `defineAgenticTool` takes. */
export interface AgenticToolConfig<Name extends string, Declaration extends InputDeclaration>
  extends InstructedConfig<Name, Declaration> {
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
  return agenticTool(config, {
    inner: tools,
    sources,
    whenEmpty: 'No tools available for SimpleAgenticTool',
    loop: () => ({ tools, sources, instructions }),
  });
}
