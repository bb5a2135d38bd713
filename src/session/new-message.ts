import type { KeptBlob } from '../journal/blob.ts';
import type { Deferred } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type { Accepted, Leased, NotStarted, SessionPort, TurnStart } from '../journal/session-port.ts';
import { type FileKeeper, needsFiles } from '../loop/loop-files.ts';
import type { Steering } from '../loop/policies.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import { type ContentPart, isFile, isNew, textsOf } from '../tool/content.ts';

/** A message as it is journaled, and what is to be kept with it. */
interface NewMessage {
  /** What it says in words. */
  readonly message: string;
  /** All of it in its order; absent when it holds no file. */
  readonly parts?: readonly ContentPart[];
  /** Each once, also if the message holds the same bytes several times; absent if it holds none. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** How many bytes of blobs the session may keep. */
  readonly room?: number | undefined;
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
  const said = sent.filter((part) => isFile(part) || part.text.trim() !== '');
  const message = textsOf(said);
  if (!said.some(isFile)) return { message };
  if (keeper) return { message, ...(await keeper.named(said)) };
  if (said.some(isNew)) throw new ConfigurationError(needsFiles('A message with a file'));
  return { message, parts: said };
}

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
