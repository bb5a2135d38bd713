import { type InputSchema, toInputSchema } from '../../tools/input-schema.ts';
import type { JsonObject } from '../../tools/json.ts';
import type { ListedTool } from './listing.ts';
import { schemaCheck } from './schema-check.ts';

/**
 * The input of a listed tool, shown as the app's own tools show theirs, and checked as `schemaCheck` does: a schema that comes
 * from a server cannot have a check of what a model sends take for ever.
 *
 * @throws InputSchemaError when it cannot be used; the schemas of a listing can.
 */
export function listedInput({ inputSchema }: ListedTool): InputSchema<JsonObject> {
  const { json } = toInputSchema(inputSchema);
  const check = schemaCheck(inputSchema);
  return {
    json,
    async parse(input) {
      const problems = check(input, 'all');
      return problems.length === 0 ? { ok: true, value: input } : { ok: false, problems };
    },
  };
}
