import type { KeptBlob } from '../journal/blob.ts';
import type { DeferredTurn } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type {
  AcceptedTurn,
  LeaseGrant,
  SessionPort,
  StartRefusal,
  TurnStart,
} from '../journal/session-port.ts';
import { type FileKeeper, formatMissingFilesModuleMessage } from '../loop/loop-files.ts';
import type { Steering } from '../loop/policies.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import { type ContentPart, isFile, isNewFile, joinTexts } from '../tool/content.ts';

/** A message to be journaled, and the blobs to store with it. */
interface NewMessage {
  readonly message: string;
  /** All parts of the message, in order. Absent if it has no files. */
  readonly parts?: readonly ContentPart[];
  /** Each blob once, even if the message repeats its bytes. Absent if empty. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** The maximum bytes of blobs that the session can keep. */
  readonly room?: number | undefined;
}

/**
 * Names the files of a message by the hashes of their bytes, and drops blank text.
 *
 * @throws FileRefusedError if a file is empty or too large.
 * @throws ConfigurationError if the message has a file but no module keeps files.
 */
export async function toNewMessage(
  sent: string | readonly ContentPart[],
  keeper: Pick<FileKeeper, 'nameFiles'> | undefined,
): Promise<NewMessage> {
  if (typeof sent === 'string') return { message: sent };
  const said = sent.filter((part) => isFile(part) || part.text.trim() !== '');
  const message = joinTexts(said);
  if (!said.some(isFile)) return { message };
  if (keeper) return { message, ...(await keeper.nameFiles(said)) };
  if (said.some(isNewFile))
    throw new ConfigurationError(formatMissingFilesModuleMessage('A message with a file'));
  return { message, parts: said };
}

interface MessageToStore<Answer> {
  readonly port: Pick<SessionPort, 'read'>;
  readonly steering: Steering;
  readonly from: TurnPrincipal;
  readonly start: TurnStart;
  readonly take: (start: TurnStart) => Promise<Answer>;
}

/**
 * Stores a message. If it would steer another principal's turn, it is queued instead. The message names the
 * turn that it can steer, so that the session decides: if that turn ends first, the message starts a turn of
 * its own.
 *
 * @throws NewerEventError if a newer version of this code began the open turn, and any error of `take`.
 */
export async function storeMessage<Answer extends AcceptedTurn | DeferredTurn | LeaseGrant | StartRefusal>(
  sending: MessageToStore<Answer>,
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

/** Compares id and tenant. Roles can change without changing the person. */
export const isSamePerson = (a: TurnPrincipal, b: TurnPrincipal): boolean =>
  a.id === b.id && a.tenant === b.tenant;
