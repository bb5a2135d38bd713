import { decorate } from '../decorate.ts';
import { coerceInput } from '../objects/coerce-input.ts';
import type { AnyTool } from '../tool.ts';

/**
 * The same tool for models that write numbers and booleans in quotes: these are taken off before the input is validated,
 * as `coerceInput` says. The tools of objects have it (ANN-07).
 */
export const withCoercion = <T extends AnyTool>(tool: T): T =>
  decorate(tool, {
    check: (input, as) => tool.check(coerceInput(input, tool.inputSchema), as),
    call: (input, invocation) => tool.call(coerceInput(input, tool.inputSchema), invocation),
  });
