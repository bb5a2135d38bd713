import { readMetadata } from '../check-definition.ts';
import { decorate } from '../decorate.ts';
import type { Json, JsonObject } from '../json.ts';
import type { AnyTool } from '../tool.ts';

/**
 * The same tool with more metadata, for programs that list tools; a key that it has is overwritten (TOOL-12). Never
 * sent to a model.
 *
 * @throws ToolDefinitionError when a value is not JSON.
 */
export function withMetadata<T extends AnyTool>(tool: T, key: string, value: Json): T;
export function withMetadata<T extends AnyTool>(tool: T, entries: JsonObject): T;
export function withMetadata<T extends AnyTool>(tool: T, keyed: string | JsonObject, value: Json = null): T {
  const entries = typeof keyed === 'string' ? { [keyed]: value } : keyed;
  return decorate(tool, { metadata: { ...tool.metadata, ...readMetadata(tool.name, entries) } });
}
