import type { AnyTool } from '../../index.ts';
import { defineUnfolding } from '../../kinds/entry.ts';
import { type Entry, groupByPath } from './group-by-path.ts';
import { listOperations, type OpenApiDocument, type Operation } from './openapi.ts';
import { type Api, createOperationTool } from './operation-tool.ts';
import { getFirstSentence } from './to-tool-schema.ts';
import { createToolNames, type ToolNames } from './tool-names.ts';

/** An API's operations as tools. */
export interface Catalog {
  /** One unfolding tool for each tag. Pass them to an agent. */
  readonly tools: readonly AnyTool[];
  /** All operations, in the order of the tree. */
  readonly leaves: readonly CatalogLeaf[];
}

export interface CatalogLeaf {
  readonly operation: Operation;
  readonly tool: AnyTool;
  /** The names of its enclosing unfolding tools, the outermost first. */
  readonly way: readonly string[];
}

interface TreeState {
  readonly document: OpenApiDocument;
  readonly api: Api;
  readonly names: ToolNames;
  readonly leaves: CatalogLeaf[];
}

/**
 * Builds a tree of unfolding tools from the operations of an OpenAPI 3 document, by tag and then by path. A
 * model sees the tags first, and the tools of a tag after it opens that tag. Names are unique in the whole
 * tree.
 */
export function defineCatalog(document: OpenApiDocument, api: Api): Catalog {
  const making: TreeState = { document, api, names: createToolNames(), leaves: [] };
  const about = new Map(document.tags?.map(({ name, description }) => [name, description]));
  const tags = [...Map.groupBy(listOperations(document), ({ tag }) => tag)];
  const named = tags.map(([tag, operations]) => ({ tag, operations, name: making.names.take(tag) }));
  const tools = named.map(({ tag, operations, name }) =>
    defineUnfolding({
      name,
      description: `${getFirstSentence(about.get(tag) ?? `Everything about ${tag}.`)} ${countOperations(operations.length)}.`,
      tools: toTools(groupByPath(operations), { tag, way: [name] }, making),
    }),
  );
  return { tools, leaves: making.leaves };
}

interface Place {
  readonly tag: string;
  readonly way: readonly string[];
}

function toTools(
  entries: readonly Entry<Operation>[],
  { tag, way }: Place,
  making: TreeState,
): readonly AnyTool[] {
  return entries.map((entry) => {
    if (entry.type === 'leaf') {
      const tool = createOperationTool(making.names.take(entry.item.id), entry.item, making);
      making.leaves.push({ operation: entry.item, tool, way });
      return tool;
    }
    const name = making.names.take(groupName(tag, entry), `${way.at(-1)} ${entry.segment}`);
    return defineUnfolding({
      name,
      description: `${countOperations(countEntryOperations(entry))} under ${entry.prefix}: ${formatSegments(entry.entries)}.`,
      tools: toTools(entry.entries, { tag, way: [...way, name] }, making),
    });
  });
}

type Group = Extract<Entry<Operation>, { readonly type: 'group' }>;

/**
 * Returns the tag and the words of the path without its placeholders, such as `repos_branches_protection`.
 */
function groupName(tag: string, { prefix, segment }: Group): string {
  const words = `${prefix}/${segment}`.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  return [...new Set([tag, ...words])].join('_').replaceAll(/[{}]/g, '');
}

const countEntryOperations = (entry: Entry<Operation>): number =>
  entry.type === 'leaf' ? 1 : entry.entries.reduce((sum, inner) => sum + countEntryOperations(inner), 0);

const countOperations = (count: number): string => `${count} operation${count === 1 ? '' : 's'}`;

/** Lists the entries of a group for the model to choose from. */
const formatSegments = (entries: readonly Entry<Operation>[]): string =>
  [...new Set(entries.map(({ segment }) => segment).filter((segment) => segment !== ''))].join(', ');
