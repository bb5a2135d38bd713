/** Describes the AG-UI route in `/openapi.json`, for `openApi({ descriptions: [agUiDescription] })`. */
import type { RouteDescriptions } from '../../modules/openapi/entry.ts';

const PROBLEM = {
  name: 'AgUiProblem',
  schema: {
    type: 'object',
    required: ['message', 'code'],
    properties: { message: { type: 'string' }, code: { type: 'string' } },
    additionalProperties: true,
  },
};

export const agUiDescription: RouteDescriptions = {
  'POST /agents/{agent}/ag-ui': {
    summary: 'Runs a thread, as AG-UI has it',
    answers: { 200: { description: 'The events of AG-UI', streams: true } },
    refusal: { 'application/json': PROBLEM },
    others: 'As the protocol has it',
  },
};
