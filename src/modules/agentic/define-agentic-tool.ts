import type { OutputOf } from '../../loop/answer-form.ts';
import { collectForField, withProviders } from '../../sources/resolution/resolve-tools.ts';
import { isSourceCarrier, type ToolSource } from '../../sources/resolution/tool-source.ts';
import { isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import { joinParagraphs } from '../../tool/json.ts';
import { findUnreadableProblem, hasToolMembers } from '../../tool/object-class.ts';
import type { AnyTool, InjectionStrategy, Tool } from '../../tool/tool.ts';
import {
  AGENTIC_KEYS,
  checkAgenticLiteral,
  createAgenticTool,
  formatLoopInstructions,
  type InstructedConfig,
  type NestedInstructions,
} from './agentic-tool.ts';
import { applyLoopChanges, registerCopy } from './copies.ts';

/** The configuration of `defineAgenticTool`. */
export interface AgenticToolConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Output extends InputDeclaration = undefined,
> extends InstructedConfig<Name, Declaration, [], Output> {
  /** The tools of the nested loop, as in the `tools` of an agent. Objects without tools are ignored. */
  readonly tools: readonly ToolSource[];
}

/**
 * Creates a tool that has its own tools. Each call runs a nested loop in the same turn, until the model has
 * an answer. It needs no session.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 * @throws ToolObjectError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const settle = defineAgenticTool({
 *   name: 'settle_complaint',
 *   description: 'Settle a complaint about one order.',
 *   input: v.object({ orderId: v.number(), complaint: v.string() }),
 *   tools: [findOrder, refundOrder],
 * });
 * ```
 */
export function defineAgenticTool<
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
  const Output extends InputDeclaration = undefined,
>(config: AgenticToolConfig<Name, Declaration, Output>): Tool<Name, InputOf<Declaration>, OutputOf<Output>> {
  checkAgenticLiteral(config, SHAPE);
  const { name, description, instructions = formatLoopInstructions(description) } = config;
  const { tools, sources, notes } = resolveInnerTools(name, config.tools);
  const tool = createAgenticTool(config, {
    inner: tools,
    sources,
    whenEmpty: 'No tools available for SimpleAgenticTool',
    loop: () => ({ tools, sources, instructions: withNotes(instructions, notes) }),
  });
  return registerCopy(tool, ({ tools: more = [], ...changes }) =>
    defineAgenticTool({ ...applyLoopChanges(config, changes), tools: [...config.tools, ...more] }),
  );
}

const SHAPE = {
  of: 'defineAgenticTool',
  keys: { ...AGENTIC_KEYS, tools: 'list' },
  required: ['name', 'description', 'tools'],
} satisfies LiteralShape<keyof AgenticToolConfig<string, undefined>>;

/** The tools, sources and notes from an agentic tool's list. */
export interface ResolvedInnerTools {
  readonly tools: readonly AnyTool[];
  /** Offers the tools of providers, which it queries each time. */
  readonly sources: readonly InjectionStrategy[];
  /** The notes of the tool groups in the list. */
  readonly notes: readonly string[];
}

/** Returns the instructions, followed by the notes of tool groups. */
export function withNotes<Input, More extends readonly unknown[]>(
  instructions: NestedInstructions<Input, More>,
  notes: readonly string[],
): NestedInstructions<Input, More> {
  if (notes.length === 0) return instructions;
  return typeof instructions === 'string'
    ? joinParagraphs(instructions, ...notes)
    : (view, input, ...more) => joinParagraphs(instructions(view, input, ...more), ...notes);
}

/**
 * Resolves an agentic tool's list. The rules are those of an agent's list, except that objects without tools
 * are silently skipped.
 *
 * @throws ToolDefinitionError if the list is invalid for an agent, too.
 * @throws ToolObjectError as `toolsOf` does.
 */
export function resolveInnerTools(name: string, sources: readonly ToolSource[]): ResolvedInnerTools {
  const listed = sources.filter((source) => !isToolless(source));
  const { tools, providers, notes } = collectForField({ tool: name, field: 'tools' }, listed);
  return { tools, sources: withProviders([], providers), notes };
}

/**
 * Returns `true` for an object without tools, but `false` for classes, lists, promises, groups and agents,
 * which can be in the list only by mistake.
 */
function isToolless(source: ToolSource): boolean {
  if (typeof source !== 'object' || source === null) return false;
  if (Array.isArray(source) || source instanceof Promise) return false;
  if (isTool(source) || isSourceCarrier(source) || 'toolsNow' in source) return false;
  if (Array.isArray(Reflect.get(source, 'tools'))) return false;
  return !hasToolMembers(source) && findUnreadableProblem(source) === undefined;
}
