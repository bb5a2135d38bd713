import { type SchemaDraft, validate } from '@cfworker/json-schema';
import type { Json, JsonObject } from '../../tool/json.ts';
import { draftOf, type Problem, problemLines, toProblems } from '../../tool/json-schema.ts';
import { type SchemaParts, schemaParts } from './schema-parts.ts';
import { isNothingMatches, tame } from './tame-schema.ts';

/** `all` that is wrong with a value, or the `first` thing, after which the rest is hardly looked at. */
type HowMany = 'all' | 'first';

/** Lines about what is wrong with a value; none: it is valid. @throws Error when it takes too long to tell. */
export type SchemaCheck = (value: Json, howMany: HowMany) => readonly string[];

/**
 * Prepares a schema of a server, for values that may be its own as well. Unlike those of an app's own tools such a
 * schema may be made to take for ever, so `tame` bounds what it takes. No valid value is refused; some pass that are not
 * valid, which the server's own check is for.
 *
 * @throws Error when the schema cannot be read.
 */
export function schemaCheck(schema: JsonObject): SchemaCheck {
  const parts = schemaParts(schema);
  const begin = tame(parts.parts);
  const check: Check = { ...parts, draft: draftOf(schema.$schema) };
  return (value, howMany) => {
    begin();
    return problemLines(problemsOf(check, value, howMany));
  };
}

interface Check extends SchemaParts {
  readonly draft: SchemaDraft;
}

function problemsOf({ root, draft, lookup }: Check, value: Json, howMany: HowMany): readonly Problem[] {
  const { valid, errors } = validate(value, root, draft, lookup, howMany === 'first');
  return valid
    ? []
    : toProblems(errors.map((one) => (isNothingMatches(one) ? { ...one, keyword: 'false' } : one)));
}
