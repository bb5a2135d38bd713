import type { Accepted, Deferred, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import { ToolCallContext } from '../../tools/tool-call-context.ts';
import type { Acknowledgement, Received, Webhook } from '../../webhooks/webhook.ts';
import { type RefusalKind, WebhookRefusal } from '../../webhooks/webhook-refusal.ts';
import { readBytes } from '../body.ts';
import type { Env, Host } from '../host.ts';
import { Problem, type ProblemType } from '../problem.ts';
import { type Target, targetOf, turnPath } from '../target.ts';

/** A request to a webhook; its signature stands in for the authentication of other routes. */
export interface HookRequest {
  readonly host: Host;
  readonly env: Env;
  readonly request: Request;
  /** As the path has it. */
  readonly name: string;
}

/** How long a delivery that comes again finds its turn, in ms: senders try for three days, people press a button later. */
const DELIVERY_TTL = 7 * 24 * 60 * 60 * 1000;

/**
 * `POST /hooks/{hook}`: verifies a delivery and stores the turn that it starts, in one durable write (DESIGN 7). The turn runs
 * in the background. A delivery that comes again is answered as the first was, and starts nothing.
 */
export async function postHook({ host, env, request, name }: HookRequest): Promise<Response> {
  const hook = host.webhooks.get(name);
  if (!hook) {
    const detail = `There is no webhook '${name.slice(0, 64)}'. createHoldfast({ webhooks }) declares them.`;
    throw new Problem(404, 'unknown-webhook', detail);
  }
  const body = await readBytes(request, hook.maxBodyBytes);
  const arrival = { headers: request.headers, body, env, now: host.clock.now() };
  const received = await hook.receive(arrival).catch((failure: unknown) => {
    throw failure instanceof WebhookRefusal ? refused(failure) : failed(hook, failure);
  });
  switch (received.type) {
    case 'reply':
      return Response.json(received.body);
    case 'ignored':
      return acknowledged(received, { hook: name, status: 'ignored', reason: received.reason });
    case 'start':
      return start({ host, env, hook, received });
  }
}

interface Starting {
  readonly host: Host;
  readonly env: Env;
  readonly hook: Webhook;
  readonly received: Started;
}

type Started = Extract<Received, { type: 'start' }>;

async function start({ host, env, hook, received }: Starting): Promise<Response> {
  const { target, turn } = toTurn({ host, env, hook, received });
  const { status, ...taken } = takenFrom(await target.port.accept(turn));
  const { session, agent } = target;
  const location = turnPath(target, taken.turn);
  const told = { hook: hook.name, session, agent: agent.name, ...taken, status };
  return acknowledged(received, told, { status: 202, headers: { location } });
}

/** The turn, and the session that it is for. @throws Problem 500 when the mapping names what is not there. */
function toTurn({ host, env, hook, received }: Starting): { target: Target; turn: TurnStart } {
  const { agent, owner, session, message, key } = received;
  const from = { id: `webhook:${hook.name}`, tenant: owner };
  try {
    if (agent === undefined) throw new Error('`start` names no agent, and neither does the webhook.');
    if (owner.trim() === '') throw new Error('`start` names an owner that is blank.');
    if (message.trim() === '') throw new Error('`start` makes a message that is blank.');
    const target = targetOf(host, env, from, { agent, session });
    const context = ToolCallContext.of(received.context);
    // What was signed names the delivery; its bytes may differ when a sender tries again.
    const request = { key: `delivery ${hook.name} ${key}`, bodyHash: key, ttl: DELIVERY_TTL };
    const turn = toTurnStart({ agent, message, context, from, request }, host.newId);
    return { target, turn: { ...turn, whenBusy: hook.whenBusy } };
  } catch (failure) {
    throw failed(hook, failure);
  }
}

type Taken = Accepted | Deferred | Extract<NotStarted, { status: 'known' }>;

/** @throws Problem when the session takes nothing now; senders try again. */
function takenFrom(answer: Accepted | Deferred | NotStarted): Taken {
  switch (answer.status) {
    case 'accepted':
    case 'queued':
    case 'steering':
    case 'scheduled':
    case 'known':
      return answer;
    default: {
      const detail = 'The session takes no more deliveries now. Send it again later.';
      throw new Problem(503, 'session-unavailable', detail, { headers: { 'retry-after': '30' } });
    }
  }
}

const acknowledged = (to: { acknowledge: Acknowledgement }, told: unknown, init?: ResponseInit): Response =>
  to.acknowledge === 'nothing' ? new Response(null, { ...init, status: 200 }) : Response.json(told, init);

const REFUSALS: Readonly<Record<RefusalKind, readonly [status: number, type: ProblemType]>> = {
  'invalid-signature': [401, 'invalid-signature'],
  'bad-json': [400, 'bad-json'],
  'not-configured': [503, 'not-configured'],
};

function refused({ kind, message }: WebhookRefusal): Problem {
  const [status, type] = REFUSALS[kind];
  return new Problem(status, type, message);
}

/** What went wrong inside is for the log; senders keep what they are answered, and show it to others. */
function failed(hook: Webhook, failure: unknown): Problem {
  console.error(`holdfast: webhook '${hook.name}' could not start a turn`, failure);
  const detail =
    'The webhook failed inside the Worker, whose log tells why. Nothing was taken: send it again.';
  return new Problem(500, 'webhook-failed', detail);
}
