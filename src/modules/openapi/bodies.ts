/** The schemas of the bodies that routes take. The code that reads a body checks it, and lists everything that is wrong. */
import { LONGEST_DELAY } from '../../tool/async.ts';
import type { Schema } from '../../tool/shape.ts';
import { MAX_REASON, MOST_ANSWERS } from '../../worker/answering.ts';
import type { BodySchema } from './description.ts';

const PROPERTIES: Readonly<Record<string, Schema>> = {
  context: {
    type: 'object',
    additionalProperties: true,
    description: 'Values for the tools, which the model never sees; of the keys that the app allows.',
  },
  loopId: { type: 'string', description: 'Continues the loop of an earlier turn.' },
  delaySeconds: {
    type: 'number',
    minimum: 0,
    maximum: LONGEST_DELAY,
    description: 'The turn starts so much later, or when the turns before it have ended.',
  },
};

/** Words, or a file: with its bytes (`data`, or a data URL), or by an https `url`, which is handed on and not fetched. */
const PART: Schema = {
  oneOf: [
    {
      type: 'object',
      required: ['type', 'text'],
      additionalProperties: false,
      properties: { type: { const: 'text' }, text: { type: 'string' } },
    },
    {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: {
        type: { const: 'file' },
        mediaType: { type: 'string', description: 'Not needed where a data URL says it.' },
        name: { type: 'string' },
        data: { type: 'string', description: 'The bytes in base64, or a data URL.' },
        url: {
          type: 'string',
          description: 'A data URL, or an https URL, which is handed on and not fetched.',
        },
      },
    },
  ],
};

/** The body of a message. */
export const MESSAGE: BodySchema = {
  name: 'NewMessage',
  schema: {
    type: 'object',
    required: ['message'],
    additionalProperties: false,
    properties: {
      message: {
        oneOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', items: PART, minItems: 1 },
        ],
      },
      ...PROPERTIES,
    },
  },
  form: {
    type: 'object',
    properties: { message: { type: 'string' }, ...PROPERTIES },
    additionalProperties: { description: 'A file, behind the message.' },
  },
};

const OF_A_DECISION: Schema = {
  decision: { type: 'string', enum: ['approve', 'edit', 'reject', 'exit'] },
  input: {
    type: 'object',
    additionalProperties: true,
    description: 'Of an edit: takes the place of what the model sent.',
  },
  reason: { type: 'string', maxLength: MAX_REASON, description: 'For the model, and for the journal.' },
};

/** The body of a decision. */
export const DECISION: BodySchema = {
  name: 'Decision',
  schema: {
    type: 'object',
    required: ['decision'],
    additionalProperties: false,
    properties: OF_A_DECISION,
  },
};

const OF_A_RESULT: Schema = {
  result: { description: 'Any JSON, as if the tool had returned it.' },
  text: { type: 'string', description: 'Words for the model.' },
  error: { type: 'string', description: 'What went wrong, for the model.' },
};

/** The body of a result. */
export const RESULT: BodySchema = {
  name: 'Result',
  schema: {
    type: 'object',
    description: 'Exactly one of the three.',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: OF_A_RESULT,
  },
};

/** The body of several answers. */
export const ANSWERS: BodySchema = {
  name: 'Answers',
  schema: {
    type: 'object',
    required: ['answers'],
    additionalProperties: false,
    properties: {
      answers: {
        type: 'array',
        description: 'Of calls of one turn. All are checked before the first is taken.',
        minItems: 1,
        maxItems: MOST_ANSWERS,
        items: {
          type: 'object',
          description: 'A Decision or a Result, of the call that it names.',
          required: ['call'],
          additionalProperties: false,
          properties: {
            call: { type: 'string' },
            // Without a `default`: generators of clients would make the property one that has to be sent.
            question: { type: 'integer', minimum: 1, description: 'The first unless given.' },
            ...OF_A_DECISION,
            ...OF_A_RESULT,
          },
        },
      },
    },
  },
};
