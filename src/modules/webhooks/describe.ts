/** The description of the route of all webhooks. */
import { ANY_OBJECT, type BodySchema, type RouteDescription } from '../openapi/description.ts';
import { number, object, text, values } from '../openapi/typed-schema.ts';
import type { HookIgnored, HookStarted } from './hook-route.ts';

const STARTED: BodySchema = {
  name: 'HookStarted',
  schema: object<HookStarted>({
    hook: text,
    session: text,
    agent: text,
    turn: text,
    status: values('accepted', 'known', 'queued', 'steering', 'scheduled'),
    'into?': text,
    'at?': number,
  }),
};

const IGNORED: BodySchema = {
  name: 'HookIgnored',
  schema: object<HookIgnored>({ hook: text, status: values('ignored'), reason: text }),
};

/** Describes the route of webhooks, for `openApi({ descriptions: [webhookDescription] })`. */
export const webhookDescription = {
  'POST /hooks/{hook}': {
    operation: 'takeDelivery',
    summary: 'Takes a delivery of a webhook; its signature stands in for a token',
    body: ANY_OBJECT,
    answers: {
      200: {
        description: 'A handshake was answered, or the delivery ignored',
        json: [IGNORED, ANY_OBJECT],
      },
      202: {
        description:
          'The delivery has started a turn, now or when it came first; `Location` leads to its answer',
        json: STARTED,
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
