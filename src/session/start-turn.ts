import type { Principal, ScheduledMessage } from '../journal/events.ts';
import { toRow } from '../journal/parse-event.ts';
import type { RequestKey, ScheduledTurn, TurnStart } from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';

/** A message on its way into a session. */
interface NewTurn {
  readonly agent: string;
  readonly message: string;
  readonly context: ToolCallContext;
  /** Absent: the turn begins a loop of its own. */
  readonly loopId?: string | undefined;
  /** Only what a `Principal` has of it is journaled. */
  readonly from: { readonly id: string; readonly tenant?: string | undefined };
  readonly request?: RequestKey | undefined;
}

/** The rows that start a turn. `newId` answers an id unlike any other. */
export function toTurnStart(start: NewTurn, newId: () => string): TurnStart {
  const turn = newId();
  const { agent, message, context, loopId = turn, request } = start;
  return {
    turn,
    opening: toRow({ type: 'session-opened', incarnation: newId(), agent }),
    started: toRow({
      type: 'turn-started',
      turn,
      loopId,
      message,
      context: context.toJSON(),
      principal: toPrincipal(start.from),
    }),
    request,
  };
}

/** Answers the part of a caller that is journaled. */
export const toPrincipal = ({ id, tenant }: NewTurn['from']): Principal => ({
  id,
  ...(tenant !== undefined && { tenant }),
});

/** The turn of a message that a call has scheduled: for whom, and with what context, the turn of the call is. */
export const toScheduledTurn = (
  { turn, message, after }: ScheduledMessage,
  { context, principal }: Pick<TurnState, 'context' | 'principal'>,
): ScheduledTurn => ({
  started: toRow({ type: 'turn-started', turn, loopId: turn, message, context, principal }),
  after,
});
