import { checkNaming, readInput, readMetadata } from '../check-definition.ts';
import type { InputDeclaration } from '../input-schema.ts';
import { isTool } from '../is-tool.ts';
import type { AnyTool, JsonSchema } from '../tool.ts';
import { ToolDefinitionError } from '../tool-definition-error.ts';
import type { Brings, FacadeTool } from './facade.ts';
import { allOf } from './inner-tools.ts';
import { type FacadeParts, toFacade } from './to-facade.ts';
import type { CategoryUnfolding, SelectableUnfolding, UnfoldingConfig } from './unfolding-config.ts';

/**
 * Makes an unfolding tool of its literal.
 *
 * @throws ToolDefinitionError when the tool cannot work.
 */
export function toUnfolding<Declaration extends InputDeclaration>(
  config: UnfoldingConfig<string, Declaration>,
): FacadeTool {
  const { name, description, metadata = {}, scope = 'turn', childToolUsageNotes: notes } = config;
  checkNaming(name, description);
  if (config.exclusive && scope === 'session') {
    const problem =
      'it is exclusive, so nothing else could be called in the session any more: leave scope out.';
    throw new ToolDefinitionError(name, 'scope', problem);
  }
  const { brings, input, inner } = formOf(config);
  return toFacade({
    name,
    description,
    metadata: readMetadata(name, metadata),
    input,
    inner,
    facade: {
      brings,
      notes: notes?.trim() ? notes : undefined,
      exclusive: config.exclusive ?? false,
      contextTool: config.contextTool ?? false,
      scope,
      prepare: config.prepare,
    },
  });
}

type Form = Pick<FacadeParts, 'input' | 'inner'> & { readonly brings: Brings };

const NO_INPUT: JsonSchema = { type: 'object', properties: {} };

function formOf<Declaration extends InputDeclaration>(config: UnfoldingConfig<string, Declaration>): Form {
  if (config.select) return selectable(config);
  if (config.byCategory) return byCategory(config);
  const { name, tools } = config;
  if (typeof tools === 'function') {
    return { brings: { by: 'moment', ask: tools }, input: NO_INPUT, inner: undefined };
  }
  const inner = checkTools(name, 'tools', tools);
  return { brings: { by: 'all', tools: inner }, input: NO_INPUT, inner };
}

function selectable<Declaration extends InputDeclaration>(
  config: SelectableUnfolding<string, Declaration>,
): Form {
  const { name, select, input, tools = [] } = config;
  // The input was checked by this schema, whose output is JSON: the facade refuses any other.
  const brings: Brings = { by: 'selection', select: (checked, view) => select(checked as never, view) };
  return {
    brings,
    input: readInput<InputDeclaration>(name, input),
    inner: tools.length > 0 ? checkTools(name, 'tools', tools) : undefined,
  };
}

function byCategory({
  name,
  byCategory: lists,
  categoryParameter: parameter = 'category',
}: Categories): Form {
  const tools = new Map(
    Object.entries(lists).map(([category, list]) => [
      category,
      checkTools(name, `byCategory.${category}`, list),
    ]),
  );
  if (tools.size === 0) throw new ToolDefinitionError(name, 'byCategory', 'it has no category.');
  const categories = [...tools.keys()];
  const description = `Category to access. Available: ${categories.join(', ')}`;
  const input = {
    type: 'object',
    properties: { [parameter]: { type: 'string', description, enum: categories } },
    required: [parameter],
  };
  return { brings: { by: 'category', parameter, tools }, input, inner: allOf(tools) };
}

type Categories = Pick<CategoryUnfolding<string>, 'name' | 'byCategory' | 'categoryParameter'>;

/** The tools, each once. @throws ToolDefinitionError when there is none, one is no tool, or two share a name. */
export function checkTools(facade: string, field: string, tools: readonly AnyTool[]): readonly AnyTool[] {
  const distinct = [...new Set(tools)];
  if (distinct.length === 0) throw new ToolDefinitionError(facade, field, 'it has no tools to unfold into.');
  const names = new Set<string>();
  for (const [index, tool] of distinct.entries()) {
    if (!isTool(tool))
      throw new ToolDefinitionError(facade, field, `what it has at index ${index} is no tool.`);
    if (names.has(tool.name)) {
      throw new ToolDefinitionError(facade, field, `it has two tools of the name '${tool.name}'.`);
    }
    names.add(tool.name);
  }
  return distinct;
}
