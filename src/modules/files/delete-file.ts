import { mustMayEnd } from '../../worker/end-turn.ts';
import { SessionError } from '../../worker/problem.ts';
import type { Session } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { type SessionAccess, turnPath } from '../../worker/target.ts';
import { isFileId } from './file-id.ts';

/** The caller does not learn whether someone else has the file, or another session of theirs. */
export const unknownFile = (id: string): SessionError =>
  new SessionError('unknown-file', `There is no file '${id.slice(0, 64)}' in this session.`);

/**
 * Deletes one file of a session. Its bytes are gone for everyone and no longer count; the conversation keeps the line that names it. A
 * file that was deleted before is deleted again without effect.
 *
 * @throws SessionError if the session never kept such a file, a turn runs, or the open turn waits for a role that the caller lacks.
 */
export async function deleteFileIn({ target }: SessionAccess, id: string): Promise<void> {
  const { port } = target;
  if (!isFileId(id)) throw unknownFile(id);
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await mustMayEnd(target, openTurn.id, 'delete files of');
  const answer = await port.removeBlob(id);
  if (answer.status === 'unknown') throw unknownFile(id);
  if (answer.status === 'deleted') return;
  const { turn } = answer;
  const detail =
    `Turn ${turn} runs, and its model may be shown the file. Delete the file when the turn has ended: ` +
    `GET ${turnPath(target, turn)} shows whether it has.`;
  throw new SessionError('session-busy', detail, { retryAfter: 1, more: { turn } });
}

/**
 * Deletes one file of a session that `sessionOf` has made, by its id. Its bytes are gone and no longer count; the model reads in
 * the line of the file that it was deleted.
 *
 * @throws SessionError `session-busy` while a turn runs, and `unknown-file` if the session never had the file.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [files()] });
 * const session = sessionOf(holdfast, env, { agent: 'clerk', session: 's1', principal: { id: 'ada' } });
 * await deleteFile(session, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08');
 * ```
 */
export const deleteFile = (session: Session, id: string): Promise<void> =>
  inSession(session, (at) => deleteFileIn(at, id));
