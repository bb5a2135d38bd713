import type { WhenBusy } from '../../tool/call.ts';
import { modelOfAgent } from '../agent-model.ts';
import { filesTaken } from '../files-taken.ts';
import { MESSAGE, readMessage } from '../message-body.ts';
import { Problem } from '../problem.ts';
import { contextOfHeaders, idempotencyKeyOf, prefersAsync } from '../request-headers.ts';
import {
  defineRoute,
  OF_JSON_BODIES,
  type Parameter,
  SESSION,
  type SessionRequest,
  TURN_ANSWERS,
  TURN_HEADERS,
} from '../route.ts';
import { type SentMessage, sendMessage } from '../send-message.ts';
import { settled } from '../turn-response.ts';

/** The query parameters that `messageQuery` reads, as OpenAPI writes them. */
const MESSAGE_QUERY: readonly Parameter[] = [
  {
    name: 'whenBusy',
    in: 'query',
    schema: { type: 'string', enum: ['reject', 'queue', 'steer'], default: 'reject' },
    description:
      'While a turn is open: `reject` answers 409, `queue` starts the turn when those before it have ended, and `steer` ' +
      'shows the message to the model of the open turn with its next request. That answers 202, and the context ' +
      'and the loop of the message are those of the turn; when it ends first, the message is a turn of its own. ' +
      'A turn of somebody else is not steered, unless the app lets anyone: the message is queued, and 202 says so. ' +
      'A turn that waits for somebody is not steered: 409 with what it waits for.',
  },
  {
    name: 'pending',
    in: 'query',
    schema: { type: 'string', enum: ['decline'] },
    description: 'Declines what the turn before waits for, ends it, and then takes the message.',
  },
];

/** Runs a turn here, or stores it for the background, or joins the one that a retry names. */
export const postMessage = defineRoute({
  operation: 'sendMessage',
  method: 'POST',
  path: `${SESSION}/messages`,
  access: 'session',
  isCounted: true,
  summary: 'Runs a turn',
  parameters: [...TURN_HEADERS, ...MESSAGE_QUERY],
  body: MESSAGE,
  answers: TURN_ANSWERS,
  problems: [
    ...OF_JSON_BODIES,
    'bad-form',
    'file-too-large',
    'files-full',
    'files-unavailable',
    'session-full',
    'session-busy',
    'turn-suspended',
    'queue-full',
    'role-required',
    'invalid-header',
    'invalid-query',
    'idempotency-key-reused',
  ],
  handle: (asked) => settled(asked, () => takeMessage(asked)),
});

const takeMessage = async (asked: SessionRequest) => sendMessage(asked, await readSent(asked));

/** Reads a message off its request. @throws Problem or SessionError when it is none, or holds files that the agent does not take. */
async function readSent(asked: SessionRequest): Promise<SentMessage> {
  const { host, target, request } = asked;
  const query = messageQuery(request);
  const taken = filesTaken(target.agent, modelOfAgent(asked, target.agent));
  const { maxBodyBytes, bodyContext, allowPrivateFiles } = host;
  const received = await readMessage(request, { maxBodyBytes, bodyContext, taken, allowPrivateFiles });
  return {
    ...received,
    ...query,
    // What whoever stands before the Worker writes into a header goes before what the client writes into the body.
    contextOfHeaders: contextOfHeaders(request.headers, host.contextHeaders),
    idempotencyKey: idempotencyKeyOf(request),
    inBackground: prefersAsync(request),
  };
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
function messageQuery({ url }: Request): Pick<SentMessage, 'whenBusy' | 'declines'> {
  const { searchParams } = new URL(url);
  const pending = searchParams.get('pending');
  if (pending !== null && pending !== 'decline') {
    throw new Problem('invalid-query', 'pending can be decline, and nothing else.');
  }
  return { whenBusy: whenBusyOf(searchParams.get('whenBusy')), declines: pending !== null };
}

function whenBusyOf(value: string | null): WhenBusy | undefined {
  switch (value) {
    case null:
    case 'reject':
      return undefined;
    case 'queue':
    case 'steer':
      return value;
    default:
      throw new Problem('invalid-query', 'whenBusy can be reject, queue or steer, and nothing else.');
  }
}
