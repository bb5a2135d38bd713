/** The OpenAPI descriptions of the feedback routes. */
import { createBodySchema, type RouteDescription } from '../openapi/description.ts';
import { FEEDBACK_SHAPE } from './feedback.ts';

const FEEDBACK_BODY = createBodySchema('Feedback', FEEDBACK_SHAPE);

/**
 * The OpenAPI descriptions of the routes of `feedback`, for `openApi({ descriptions: [feedbackDescription]
 * })`.
 */
export const feedbackDescription = {
  'POST /agents/{agent}/sessions/{session}/turns/{turn}/feedback': {
    operation: 'sendFeedback',
    summary: 'Stores the feedback of the caller about a turn, in place of earlier feedback',
    body: {
      name: 'NewFeedback',
      schema: {
        type: 'object',
        description: 'A score, words, or both.',
        minProperties: 1,
        additionalProperties: false,
        properties: {
          score: { type: 'number', minimum: -1, maximum: 1 },
          words: { type: 'string', minLength: 1, maxLength: 4_000 },
        },
      },
    },
    answers: { 200: { description: 'It is kept', json: FEEDBACK_BODY } },
    problems: [
      'bad-json',
      'unsupported-media-type',
      'body-too-large',
      'invalid-body',
      'unknown-turn',
      'session-full',
    ],
  },
  'GET /agents/{agent}/sessions/{session}/feedback': {
    operation: 'listFeedback',
    summary: 'The feedback about the turns of a session',
    answers: {
      200: {
        description: 'The last feedback of each caller about each turn',
        json: {
          name: 'FeedbackList',
          schema: {
            type: 'object',
            required: ['feedback'],
            properties: { feedback: { type: 'array', items: FEEDBACK_BODY.schema } },
          },
        },
      },
    },
    problems: ['unknown-session'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
