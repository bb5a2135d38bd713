import type { Deferred } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type { KeptFile } from '../journal/kept-file.ts';
import type { Accepted, Leased, NotStarted, SessionPort, TurnStart } from '../journal/session-port.ts';
import { type FileKeeper, needsFiles } from '../loop/loop-files.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import { type ContentPart, isFile, isNew, textsOf } from '../tool/content.ts';

/** A message as it is journaled, and the files that are to be kept with it. */
interface NewMessage {
  /** What it says in words. */
  readonly message: string;
  /** All of it in its order; absent when it holds no file. */
  readonly parts?: readonly ContentPart[];
  /** Each once, also where the message holds the same bytes several times. */
  readonly files?: readonly KeptFile[];
}

/**
 * Names the files of a message by the hashes of their bytes. Text that is blank is left out.
 *
 * @throws FileRefusedError if a file is empty or too large; ConfigurationError for a file that nothing keeps.
 */
export async function toNewMessage(
  sent: string | readonly ContentPart[],
  keeper: Pick<FileKeeper, 'named'> | undefined,
): Promise<NewMessage> {
  if (typeof sent === 'string') return { message: sent };
  const parts: ContentPart[] = [];
  const files = new Map<string, KeptFile>();
  for (const part of sent) {
    if (isNew(part)) {
      if (!keeper) throw new ConfigurationError(needsFiles('A message with a file'));
      const stored = await keeper.named(part);
      const { type: _, ...file } = stored;
      if (!files.has(file.id)) files.set(file.id, { ...file, bytes: part.bytes });
      parts.push(stored);
    } else if (isFile(part) || part.text.trim() !== '') parts.push(part);
  }
  const message = textsOf(parts);
  return parts.some(isFile) ? { message, parts, files: [...files.values()] } : { message };
}

/**
 * Whose messages are shown to the model of a turn that runs, when they ask for it: those of whoever asked for the turn, or anyone's
 * who may send to the session.
 */
export type Steering = 'requester' | 'anyone';

/** A message that somebody sends to a session. */
interface Sending<Answer> {
  readonly port: Pick<SessionPort, 'read'>;
  readonly steering: Steering;
  readonly from: TurnPrincipal;
  readonly start: TurnStart;
  /** Has it stored. */
  readonly take: (start: TurnStart) => Promise<Answer>;
}

/**
 * Has a message stored. One that is to steer a turn of somebody else waits in line instead. It names the turn that it may steer, so
 * that the session decides: should that end before, the message is a turn of its own, whoever's is open then.
 *
 * @throws NewerEventError when the open turn was begun by a newer version of this code; what `take` does.
 */
export async function storeMessage<Answer extends Accepted | Deferred | Leased | NotStarted>(
  sending: Sending<Answer>,
): Promise<Answer> {
  const { port, steering, from, start, take } = sending;
  if (start.whenBusy !== 'steer' || steering === 'anyone') return take(start);
  const first = await take({ ...start, whenBusy: undefined });
  if (first.status !== 'busy' && first.status !== 'suspended') return first;
  const isOwn = await isTurnOf(port, first.turn, from);
  if (isOwn && first.status === 'suspended') return first;
  return take({ ...start, whenBusy: isOwn ? { steer: first.turn } : 'queue' });
}

async function isTurnOf(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  from: TurnPrincipal,
): Promise<boolean> {
  const [row] = (await port.read({ from: 1, limit: 1, turn }))?.rows ?? [];
  const event = row && parseEvent(row);
  return event?.type === 'turn-started' && isSamePerson(event.principal, from);
}

/** Roles come and go, and make nobody another one. */
export const isSamePerson = (a: TurnPrincipal, b: TurnPrincipal): boolean =>
  a.id === b.id && a.tenant === b.tenant;
