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

const STRING = { type: 'string' };

/** Returns the schema of an object that has only these properties. */
const closed = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  additionalProperties: false,
  properties,
});

/** Words, or a file: with its bytes (`data`, or a data URL), or by an https `url`, which is handed on and not fetched. */
const PART: Schema = {
  oneOf: [
    closed({ type: { const: 'text' }, text: STRING }, 'type', 'text'),
    closed(
      {
        type: { const: 'file' },
        mediaType: { ...STRING, description: 'Not needed if a data URL has it.' },
        name: STRING,
        data: { ...STRING, description: 'The bytes in base64, or a data URL.' },
        url: { ...STRING, description: 'A data URL, or an https URL, which is passed on and not fetched.' },
      },
      'type',
    ),
  ],
};

/** The body of a message. */
export const MESSAGE: BodySchema = {
  name: 'NewMessage',
  schema: closed(
    {
      message: {
        oneOf: [
          { ...STRING, minLength: 1 },
          { type: 'array', items: PART, minItems: 1 },
        ],
      },
      ...PROPERTIES,
    },
    'message',
  ),
  form: {
    type: 'object',
    properties: { message: { type: 'string' }, ...PROPERTIES },
    additionalProperties: { description: 'A file, behind the message.' },
  },
};

const OF_A_DECISION: Readonly<Record<string, Schema>> = {
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
  schema: closed(OF_A_DECISION, 'decision'),
};

const OF_A_RESULT: Readonly<Record<string, Schema>> = {
  result: { description: 'Any JSON, as if the tool had returned it.' },
  text: { type: 'string', description: 'Words for the model.' },
  error: { type: 'string', description: 'What went wrong, for the model.' },
};

/** The body of a result. */
export const RESULT: BodySchema = {
  name: 'Result',
  schema: {
    ...closed(OF_A_RESULT),
    description: 'Exactly one of the three.',
    minProperties: 1,
    maxProperties: 1,
  },
};

/** The body of several answers. */
export const ANSWERS: BodySchema = {
  name: 'Answers',
  schema: closed(
    {
      answers: {
        type: 'array',
        description: 'Of calls of one turn. All are checked before the first is accepted.',
        minItems: 1,
        maxItems: MOST_ANSWERS,
        items: {
          ...closed(
            {
              call: STRING,
              // Without a `default`: generators of clients would make the property one that has to be sent.
              question: { type: 'integer', minimum: 1, description: 'Defaults to the first.' },
              ...OF_A_DECISION,
              ...OF_A_RESULT,
            },
            'call',
          ),
          description: 'A Decision or a Result, of the call that it names.',
        },
      },
    },
    'answers',
  ),
};
