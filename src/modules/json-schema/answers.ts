import { EDITS } from '../../tool/edit-check.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import { jsonSchemaCheck } from './check.ts';

/**
 * Checks the input that somebody sends with an `edit` by the JSON Schema of its question, before the answer is taken. `requireApproval`,
 * `requireType`, `humanInput`, tools of the AI SDK and of MCP servers bring it along. A `run` that asks by `call.decide` and takes an
 * `edit` needs it in the `use` of its agent or app, and what makes such tools at run time in its `uses`.
 */
export const answerChecks = useOf(createModule({ name: 'json-schema' }));
EDITS.give(answerChecks, (schema, input) => jsonSchemaCheck(schema)(input));
