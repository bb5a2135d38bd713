import { LONGEST_DELAY } from '../tools/delay.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The bodies that the description of the HTTP surface refers to, as JSON Schema. */
export const openApiSchemas = (): Readonly<
  Record<'Message' | 'Decision' | 'Result' | 'Problem', Schema>
> => ({
  Message: {
    type: 'object',
    required: ['message'],
    additionalProperties: false,
    properties: {
      message: { type: 'string', minLength: 1 },
      context: { type: 'object', description: 'Values for the tools, which the model never sees.' },
      loopId: { type: 'string', description: 'Continues the loop of an earlier turn.' },
      delaySeconds: {
        type: 'number',
        minimum: 0,
        maximum: LONGEST_DELAY,
        description: 'The turn starts so much later, or when the turns before it have ended.',
      },
    },
  },
  Decision: {
    type: 'object',
    required: ['decision'],
    additionalProperties: false,
    properties: {
      decision: { type: 'string', enum: ['approve', 'edit', 'reject', 'exit'] },
      input: { type: 'object', description: 'Of an edit: takes the place of what the model sent.' },
      reason: { type: 'string', maxLength: 2000, description: 'For the model, and for the journal.' },
    },
  },
  Result: {
    type: 'object',
    description: 'Exactly one of the three.',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      result: { description: 'Any JSON, as if the tool had returned it.' },
      text: { type: 'string', description: 'Words for the model.' },
      error: { type: 'string', description: 'What went wrong, for the model.' },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
    },
  },
});
