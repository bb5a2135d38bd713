import type { InputSchema } from '../../tools/input-schema.ts';
import type { JsonObject } from '../../tools/json.ts';
import type { ListedTool } from './listing.ts';
import { type SchemaCheck, schemaCheck } from './schema-check.ts';

/**
 * The input of a listed tool, shown as the app's own tools show theirs, and checked as `schemaCheck` does: a schema that comes
 * from a server cannot have a check of what a model sends take for ever. The check is made for the first input: most tools
 * of a long list are never called, and an invocation makes them all.
 */
export function listedInput({ inputSchema }: ListedTool): InputSchema<JsonObject> {
  const { $schema: _, required, ...shown } = inputSchema;
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  let check: SchemaCheck | undefined;
  return {
    json: { type: 'object', properties: {}, ...shown, ...names },
    async parse(input) {
      check ??= schemaCheck(inputSchema);
      const problems = check(input, 'all');
      return problems.length === 0 ? { ok: true, value: input } : { ok: false, problems };
    },
  };
}
