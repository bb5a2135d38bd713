import { openQuestions, questionsForRoles } from '../../session/answers/questions.ts';
import { readTurn } from '../../session/fold-session.ts';
import type { CancelMessage } from '../../session/inbox.ts';
import { runTurn } from '../../session/run-turn.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import { turnStopped } from '../../session/watching/turn-outcome.ts';
import type { WhenBusy } from '../../tool/call.ts';
import { mustHaveRole, mustHaveRoleToEnd } from '../auth.ts';
import { Problem } from '../problem.ts';
import type { Parameter, SessionRequest } from '../route.ts';
import type { Target } from '../target.ts';
import { resume } from '../turn-response.ts';

/** The query parameters that `messageQuery` reads, as OpenAPI writes them. */
export const MESSAGE_QUERY: readonly Parameter[] = [
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

/** What the query of a message says of a session that is not free. */
interface MessageQuery {
  /** While a turn is open: wait for its end, or be shown to its model. Refused unless given. */
  readonly whenBusy?: WhenBusy | undefined;
  /** What the open turn waits for is declined first. */
  readonly declines: boolean;
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
export function messageQuery({ url }: Request): MessageQuery {
  const { searchParams } = new URL(url);
  const pending = searchParams.get('pending');
  if (pending !== null && pending !== 'decline') {
    throw new Problem('invalid-query', 'pending can be decline, and nothing else.');
  }
  return { whenBusy: whenBusyOf(searchParams.get('whenBusy')), declines: pending !== null };
}

function whenBusyOf(value: string | null): MessageQuery['whenBusy'] {
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

/**
 * Lets pass who may end a turn now. One that comes to wait for somebody right after this was not waiting when it was asked.
 *
 * @throws Problem when it waits for somebody with a role that the caller lacks.
 */
export async function mustMayEnd(
  { port, caller }: Pick<Target, 'port' | 'caller'>,
  turn: string,
  what: 'cancel' | 'erase',
): Promise<void> {
  for (const question of await questionsForRoles(port, turn)) mustHaveRoleToEnd(caller, question, what);
}

/**
 * Declines everything that a turn waits for, and ends the turn as cancelled, without another model call; resolves when
 * it has ended. One message to the turn's holder does both, so that nothing lies between: a client that is lost on the way
 * sends its message again, and finds the turn as it was, or over.
 *
 * @throws Problem when the caller lacks a role that one of the calls asks for; then nothing was declined.
 */
export async function declinePending(asked: SessionRequest, services: TurnHost, turn: string): Promise<void> {
  const { host, target, request } = asked;
  const { port, caller } = target;
  const open = openQuestions(await readTurn(port, turn));
  for (const question of open) mustHaveRole(caller, question);
  const cancel: CancelMessage = { declinedBy: caller.id, waits: open.map(({ id }) => id) };
  await port.post({ kind: 'cancel', turn, body: JSON.stringify(cancel) });
  const sentAt = host.clock.now();
  const resumed = await resume(asked, turn);
  if (resumed.status === 'leased') await runTurn(services, resumed, sentAt);
  else await turnStopped({ port, clock: host.clock, meter: host.meter, turn, signal: request.signal });
}
