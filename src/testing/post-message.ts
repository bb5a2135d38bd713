import type { Accepted, Deferred, InboxMessage, SessionPort } from '../journal/session-port.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { JsonObject } from '../tool/json.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { TurnSteps } from './turn-steps.ts';

/** What a request body may say beside the message. */
export interface SendOptions {
  readonly context?: JsonObject | ToolCallContext | undefined;
  readonly loopId?: string | undefined;
}

/** What a message may say that is sent while a turn runs. */
export interface PostOptions extends SendOptions {
  /** `queue`: its turn starts when those before it have ended. `steer`: the model of the open turn is shown it next. */
  readonly whenBusy?: WhenBusy | undefined;
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
  /** The messages that whoever runs the turn was told of, by the turn that each would be. */
  readonly heard: ReadonlySet<string>;
}

/** The port, with a note of every message that its holder is told of. */
export function hearing(port: SessionPort, heard: Set<string>): SessionPort {
  const told = <T extends object>(answer: T): T => {
    const { inbox = [] } = answer as { readonly inbox?: readonly InboxMessage[] }; // of those answers that have one
    for (const { turn } of inbox) heard.add(turn);
    return answer;
  };
  return {
    ...port,
    append: async (epoch, from, change) => told(await port.append(epoch, from, change)),
    renew: async (epoch) => told(await port.renew(epoch)),
  };
}

/** Stores a message, and gives the turn that runs the time to hear of it. */
export async function postTo(
  { steps, port, context, hear, heard }: Stage,
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
      await isHeard(port, heard, taken.turn);
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

/** How long the turn that runs may take to hear of a message, in real ms. */
const MAX_WAIT = 2_000;

/** Waits until whoever runs the turn knows of the message of this one, or it is to be a turn of its own after all. */
async function isHeard(port: SessionPort, heard: ReadonlySet<string>, turn: string): Promise<void> {
  const began = performance.now();
  const isSteering = async (): Promise<boolean> =>
    (await port.read({ from: 1, turn, limit: 1 }))?.waits?.status === 'steering';
  while (!heard.has(turn) && (await isSteering())) {
    if (performance.now() - began > MAX_WAIT) {
      throw new Error(
        `Nobody has heard of the message of turn ${turn} for ${MAX_WAIT} ms: the turn that runs is stuck, or its clock stands still. A manual clock has to be advanced while \`post\` is awaited.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
