import { DeploymentError } from '../../session/deployment.ts';
import { defineSeam } from '../../tool/module-use.ts';
import { type Infer, OPTIONAL_NUMBER, OPTIONAL_TEXT, type Shape, TEXT } from '../../tool/shape.ts';
import { withFullStop } from '../../tool/shown.ts';
import type { AppParts } from '../../worker/app-seam.ts';
import { type BackgroundTurn, startInBackground, toBackgroundTurn } from '../../worker/background.ts';
import { readBytes } from '../../worker/body.ts';
import { checkStarters } from '../../worker/check-routes.ts';
import type { HostedApp } from '../../worker/host.ts';
import { Problem, type ProblemType } from '../../worker/problem.ts';
import { createQueueFullRefusal, createSessionFullRefusal } from '../../worker/refusal.ts';
import { defineRoute, type HttpHost, type RouteRequest } from '../../worker/route.ts';
import { getTurnPath } from '../../worker/target.ts';
import {
  type Acknowledgement,
  type RefusalKind,
  type Webhook,
  WebhookRefusal,
  type WebhookStart,
} from './webhook.ts';

/** The responses for refused deliveries. */
const REFUSALS: Readonly<Record<RefusalKind, readonly [status: number, type: ProblemType]>> = {
  'invalid-signature': [401, 'invalid-signature'],
  'bad-json': [400, 'bad-json'],
  'not-configured': [503, 'not-configured'],
};

/**
 * Verifies a delivery and stores its turn in one durable write. The turn runs in the background. A repeated
 * delivery gets the first response again, and starts no turn. The signature replaces the authentication of
 * other routes.
 */
const createHookRoute = (webhooks: ReadonlyMap<string, Webhook>) =>
  defineRoute({
    method: 'POST',
    path: '/hooks/{hook}',
    access: 'open',
    handle: (asked, { hook }) =>
      takeDelivery(asked, webhooks, hook).catch((failure) => logRefusal(asked, hook, failure)),
  });

export const WEBHOOK_SEAM = defineSeam<Webhook>();

/** The route that all webhooks together add to an app. */
export const WEBHOOK_PARTS: AppParts = {
  routes({ host }) {
    const webhooks = listWebhooks(host);
    checkStarters(host, 'webhook', webhooks);
    return [createHookRoute(new Map(webhooks.map((webhook) => [webhook.name, webhook])))];
  },
  checks: ({ host, env }) =>
    listWebhooks(host).map(({ name, lacks }) => async () => {
      const problem = await lacks?.(env);
      if (problem !== undefined) throw new DeploymentError(`Webhook '${name}' ${withFullStop(problem)}`);
    }),
};

const listWebhooks = ({ modules }: Pick<HttpHost, 'modules'>): readonly Webhook[] =>
  modules.uses.flatMap((use) => WEBHOOK_SEAM.of(use) ?? []);

async function takeDelivery(
  asked: RouteRequest,
  webhooks: ReadonlyMap<string, Webhook>,
  name: string,
): Promise<Response> {
  const { host, env, base, request, requestId } = asked;
  const hook = webhooks.get(name);
  if (!hook) {
    const detail = `There is no webhook '${name.slice(0, 64)}'. Webhooks are listed in \`use\` of createHoldfast.`;
    throw new Problem('unknown-webhook', detail);
  }
  const unverified = { headers: request.headers, env, now: host.clock.now() };
  await withProblemResponses(asked, hook, hook.admit(unverified));
  const body = await readBytes(request, hook.maxBodyBytes);
  const received = await withProblemResponses(asked, hook, hook.receive({ ...unverified, body }));
  switch (received.type) {
    case 'reply':
      return Response.json(received.body);
    case 'ignored':
      return toResponse(received, { hook: name, status: 'ignored', reason: received.reason });
    case 'start':
      return startDelivery({ host, env, base, requestId, hook, received });
  }
}

/** Returns the webhook's result, with its refusals converted to problem responses. */
const withProblemResponses = <Answer>(
  asked: LogContext,
  hook: Webhook,
  answer: Promise<Answer>,
): Promise<Answer> =>
  answer.catch((failure: unknown) => {
    throw failure instanceof WebhookRefusal ? toProblem(failure) : logFailure(asked, hook, failure);
  });

type LogContext = Pick<RouteRequest, 'host' | 'requestId'>;

interface DeliveryStart extends HostedApp {
  readonly host: HttpHost;
  readonly requestId: string;
  readonly hook: Webhook;
  readonly received: WebhookStart & { readonly acknowledge: Acknowledgement };
}

async function startDelivery({ received, ...starting }: DeliveryStart): Promise<Response> {
  const turn = await toTurn({ received, ...starting });
  await starting.host.gates.admit?.(turn.owner, starting);
  const answer = await startInBackground(turn);
  if (answer.status === 'full') throw createQueueFullRefusal(answer);
  if (answer.status === 'session-full') throw createSessionFullRefusal(answer);
  const { status, ...taken } = answer;
  const { target } = turn;
  const { session, agent } = target;
  const location = getTurnPath(target, taken.turn);
  const told: HookStarted = { hook: starting.hook.name, session, agent: agent.name, ...taken, status };
  return toResponse(received, told, { status: 202, headers: { location } });
}

/**
 * Returns the turn of a delivery.
 *
 * @throws Problem 500 if the mapping names an agent or owner that does not exist.
 * @throws DeploymentError if the deployment cannot store it.
 */
async function toTurn({
  host,
  env,
  base,
  requestId,
  hook,
  received,
}: DeliveryStart): Promise<BackgroundTurn> {
  const { agent, owner = host.auth.owner?.(env), session, message, context } = received;
  try {
    if (agent === undefined) throw new Error('The webhook has no agent, and `start` did not return one.');
    if (owner === undefined) throw new Error('The webhook has no owner, and `start` did not return one.');
    return await toBackgroundTurn(
      { host, env, base },
      {
        by: `webhook:${hook.name}`,
        // The signed id identifies the delivery, since a retry can have other bytes.
        key: `delivery ${hook.namespace} ${received.key}`,
        whenBusy: hook.whenBusy,
        ...{ agent, owner, session, message, context },
      },
    );
  } catch (failure) {
    throw failure instanceof DeploymentError ? failure : logFailure({ host, requestId }, hook, failure);
  }
}

const toResponse = (
  to: { acknowledge: Acknowledgement },
  told: HookIgnored | HookStarted,
  init?: ResponseInit,
): Response =>
  to.acknowledge === 'nothing' ? new Response(null, { ...init, status: 200 }) : Response.json(told, init);

function toProblem({ kind, message }: WebhookRefusal): Problem {
  const [status, type] = REFUSALS[kind];
  return new Problem(type, message, { status });
}

/**
 * Logs the reason for a refusal, since the sender may not show the response to people. @throws the failure.
 */
function logRefusal({ host, requestId }: LogContext, hook: string, failure: unknown): never {
  if (failure instanceof Problem && !NOT_LOGGED_PROBLEMS.includes(failure.type)) {
    const { type, status } = failure;
    const message = `webhook '${hook}' refused a delivery (${type}): ${failure.message}`;
    host.log({ level: status < 500 ? 'warn' : 'error', event: 'webhook-refused', requestId, message });
  }
  throw failure;
}

/**
 * The problems that are not logged here. Anyone can send requests to an unknown webhook, and internal
 * failures are logged where they happen.
 */
const NOT_LOGGED_PROBLEMS: readonly ProblemType[] = ['unknown-webhook', 'webhook-failed'];

/**
 * Logs an internal failure. The response does not contain its details, since senders store responses and show
 * them to others.
 */
function logFailure({ host, requestId }: LogContext, hook: Webhook, failure: unknown): Problem {
  const message = `webhook '${hook.name}' could not start a turn`;
  host.log({ level: 'error', event: 'webhook-refused', requestId, message, thrown: failure });
  const detail =
    'The webhook failed inside the Worker, whose log says why. The delivery was not stored. Send it again.';
  return new Problem('webhook-failed', detail);
}

/** A delivery that started no turn. */
export interface HookIgnored extends Infer<typeof HOOK_IGNORED> {}
export const HOOK_IGNORED = {
  object: { hook: TEXT, status: { only: 'ignored' }, reason: TEXT },
} as const satisfies Shape;

/** A delivery that has started a turn, now or on its first arrival. */
export interface HookStarted extends Infer<typeof HOOK_STARTED> {}
export const HOOK_STARTED = {
  object: {
    hook: TEXT,
    session: TEXT,
    agent: TEXT,
    turn: TEXT,
    status: { oneOf: ['accepted', 'known', 'queued', 'steering', 'scheduled'] },
    /** The turn that the message joins. */
    into: OPTIONAL_TEXT,
    /** For `scheduled`, the time in milliseconds since the epoch. */
    at: OPTIONAL_NUMBER,
  },
} as const satisfies Shape;
