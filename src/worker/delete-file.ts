import { mustMayEnd } from './end-turn.ts';
import { SessionError } from './problem.ts';
import { type SessionAccess, turnPath } from './target.ts';

/** A file's id: SHA-256 in hex. */
const FILE_ID = /^[0-9a-f]{64}$/;

/** Tells whether a file can have this id. */
export const isFileId = (id: string): boolean => FILE_ID.test(id);

/** The caller does not learn whether someone else has the file, or another session of theirs. */
export const unknownFile = (id: string): SessionError =>
  new SessionError('unknown-file', `There is no file '${id.slice(0, 64)}' in this session.`);

/**
 * Deletes one file of a session. Its bytes are gone for everyone and no longer count; the conversation keeps the line that names it. A
 * file that was deleted before is deleted again without effect.
 *
 * @throws SessionError if the session never kept such a file, a turn runs, or the open turn waits for a role that the caller lacks.
 */
export async function deleteFile({ target }: SessionAccess, id: string): Promise<void> {
  const { port } = target;
  if (!isFileId(id)) throw unknownFile(id);
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await mustMayEnd(target, openTurn.id, 'delete files of');
  const answer = await port.deleteFile(id);
  if (answer.status === 'unknown') throw unknownFile(id);
  if (answer.status === 'deleted') return;
  const { turn } = answer;
  const detail =
    `Turn ${turn} runs, and its model may be shown the file. Delete the file when the turn has ended: ` +
    `GET ${turnPath(target, turn)} shows whether it has.`;
  throw new SessionError('session-busy', detail, { retryAfter: 1, more: { turn } });
}
