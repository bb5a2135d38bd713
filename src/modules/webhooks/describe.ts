/** The OpenAPI description of the route of all webhooks. */
import { ANY_OBJECT_BODY, createBodySchema, type RouteDescription } from '../openapi/description.ts';
import { HOOK_IGNORED, HOOK_STARTED } from './hook-route.ts';

const STARTED_BODY = createBodySchema('HookStarted', HOOK_STARTED);
const IGNORED_BODY = createBodySchema('HookIgnored', HOOK_IGNORED);

/** Describes the route of webhooks, for `openApi({ descriptions: [webhookDescription] })`. */
export const webhookDescription = {
  'POST /hooks/{hook}': {
    operation: 'takeDelivery',
    summary: 'Takes a delivery of a webhook; its signature stands in for a token',
    body: ANY_OBJECT_BODY,
    answers: {
      200: {
        description: 'A handshake was answered, or the delivery ignored',
        json: [IGNORED_BODY, ANY_OBJECT_BODY],
      },
      202: {
        description:
          'The delivery has started a turn, now or when it came first; `Location` leads to its answer',
        json: STARTED_BODY,
      },
    },
    problems: [
      'invalid-signature',
      'bad-json',
      [503, 'not-configured'],
      'not-configured',
      'body-too-large',
      'unknown-webhook',
      'webhook-failed',
      'rate-limited',
      'queue-full',
      'session-full',
      'session-unavailable',
      'misconfigured',
    ],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
