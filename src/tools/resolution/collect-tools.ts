import { checkNaming } from '../check-definition.ts';
import { isTool } from '../is-tool.ts';
import { shorten } from '../json-text.ts';
import { toToolObject } from '../objects/tool-object.ts';
import { toolsOf } from '../objects/tools-of.ts';
import { declaresUnfolding } from '../objects/unfolding-of.ts';
import type { AnyTool } from '../tool.ts';
import { ToolResolutionError } from './tool-resolution-error.ts';
import { isToolProvider, type ToolProvider, type ToolSource } from './tool-source.ts';

/** A list of sources, sorted out. */
export interface CollectedTools {
  /** In the order of the list. */
  readonly tools: readonly AnyTool[];
  /** Not asked yet. */
  readonly providers: readonly ToolProvider[];
}

export interface CollectOptions {
  /** Refuse names with a hyphen, which some catalogues do not know (AEV-02). */
  readonly strictNames?: boolean | undefined;
}

/**
 * The tools of a list that may mix tools, tool objects and providers (AET-06). What is listed twice counts once (AEV-05);
 * an empty list is fine (AEV-01).
 *
 * @throws ToolResolutionError for what is none of these (AEV-03), and when two tools share a name (AEV-04);
 *   ToolDefinitionError for a name that some provider would refuse (AEV-02); ToolObjectError as `toolsOf`.
 */
export function collectTools(sources: readonly ToolSource[], options: CollectOptions = {}): CollectedTools {
  const byName = new Map<string, AnyTool>();
  const providers: ToolProvider[] = [];
  for (const [index, source] of sources.entries()) {
    if (sources.indexOf(source) < index) continue;
    if (isToolProvider(source)) providers.push(source);
    else for (const tool of toolsAt(index, source)) add(byName, tool, options);
  }
  return { tools: [...byName.values()], providers };
}

function add(byName: Map<string, AnyTool>, tool: AnyTool, options: CollectOptions): void {
  checkName(tool, options);
  if (byName.has(tool.name)) throw new ToolResolutionError(`Duplicate tool name: '${tool.name}'`);
  byName.set(tool.name, tool);
}

/** @throws ToolDefinitionError or ToolResolutionError when the name cannot be used. */
export function checkName({ name, description }: AnyTool, { strictNames = false }: CollectOptions): void {
  checkNaming(name, description);
  if (!strictNames || !name.includes('-')) return;
  throw new ToolResolutionError(`Tool '${name}': its name may hold only A-Z, a-z, 0-9 and '_' here`);
}

function toolsAt(index: number, source: ToolSource): readonly AnyTool[] {
  const given: unknown = source; // the types cannot keep everything out
  if (given === null || given === undefined) {
    throw new ToolResolutionError(`Tool at index ${index} must not be ${given}`);
  }
  if (isTool(given)) return [given];
  const mistaken = mistakenFor(given);
  if (mistaken) throw new ToolResolutionError(`Tool at index ${index} ${mistaken}`);
  const object = typeof given === 'object' || typeof given === 'function' ? toToolObject(given) : undefined;
  if (object && (object.table.size > 0 || declaresUnfolding(source))) return toolsOf(source);
  throw new ToolResolutionError(
    `Tool at index ${index} (${object?.name ?? typeof given}) is neither a tool nor a tool provider, ` +
      "nor has its class a static 'tools' table",
  );
}

/** What is wrong with something that has tools, and is listed as if it were one. */
function mistakenFor(given: unknown): string | undefined {
  const { name, role, instructions, tools }: Readonly<Record<string, unknown>> = Object(given);
  if (!Array.isArray(tools)) return undefined;
  const named = `('${shorten(String(name), 80)}')`;
  if (typeof role === 'string') return `${named} is a tool group: list it under toolGroups`;
  return typeof instructions === 'string' ? `${named} is an agent: list its tools instead` : undefined;
}
