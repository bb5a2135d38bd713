import * as v from 'valibot';
import { toolMethod } from '../../modules/tool-objects/entry.ts';

/** Pass an instance in a list of tools: `tools: [new Calendar()]`. */
export class Calendar {
  readonly free_days = toolMethod(
    { description: 'The free days of a month.', input: v.object({ month: v.string() }), effect: 'read' },
    ({ month }) => [`${month}-03`, `${month}-17`],
  );
}
