import type { Accepted, Deferred, SessionPort } from '../journal/session-port.ts';
import type { JsonObject } from '../tools/json.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';
import type { TurnSteps } from './turn-steps.ts';

/** What a request body may say beside the message. */
export interface SendOptions {
  readonly context?: JsonObject | ToolCallContext | undefined;
  readonly loopId?: string | undefined;
}

/** What a message may say that is sent while a turn runs. */
export interface PostOptions extends SendOptions {
  /** `queue`: its turn starts when those before it have ended. `steer`: the model of the open turn is shown it next. */
  readonly whenBusy?: 'queue' | 'steer' | undefined;
  /** Its turn starts so much later, by the session's clock. */
  readonly delaySeconds?: number | undefined;
}

/** What sending to a session needs, while one of its turns runs. */
interface Stage {
  readonly port: SessionPort;
  readonly steps: TurnSteps;
  /** Of every message. */
  readonly context: ToolCallContext;
  /** Lets so much time pass that the turn that runs hears of what was left for it. */
  readonly hear: () => void;
}

/** Stores a message, and gives the turn that runs the time to hear of it. */
export async function postTo(
  { steps, port, context, hear }: Stage,
  message: string,
  { context: more = {}, loopId, whenBusy, delaySeconds }: PostOptions,
): Promise<Accepted | Deferred> {
  const delayMs = delaySeconds === undefined ? undefined : delaySeconds * 1000;
  const merged = context.merge(ToolCallContext.of(more));
  const taken = await steps.accept({ message, loopId, whenBusy, delayMs, context: merged });
  switch (taken.status) {
    case 'accepted':
    case 'queued':
    case 'scheduled':
      return taken;
    case 'steering':
      hear();
      await soon(async () => (await port.read({ from: 1, turn: taken.turn }))?.waits === undefined);
      return taken;
    default:
      throw new Error(`The session took no message: it is ${taken.status}.`);
  }
}

/** Leaves a cancel for the holder of a turn, and gives it the time to hear of it. */
export async function cancelIn({ port, hear }: Stage, given: string | undefined): Promise<void> {
  const turn = given ?? (await port.read({ from: 1, limit: 1 }))?.openTurn?.id;
  const posted = turn === undefined ? 'no-such-turn' : await port.post('cancel', turn, '{}');
  if (posted !== 'posted') throw new Error(`There is nothing to cancel: ${given ?? 'no turn'} is open.`);
  hear();
}

/** Waits until it is so, or for as long as that takes which needs no time. */
async function soon(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 20 && !(await isSo()); i += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}
