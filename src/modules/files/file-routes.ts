import { toFileName } from '../../tool/content.ts';
import type { AppFiles, FilesAccess, SessionFile } from '../../worker/app-files.ts';
import { authenticateCaller } from '../../worker/auth.ts';
import { assertCanEnd } from '../../worker/end-turn.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import { hasTag } from '../../worker/request-headers.ts';
import {
  defineRoute,
  type Route,
  SESSION_PATH,
  type SessionRequest,
  SHARED_RESPONSES,
} from '../../worker/route.ts';
import type { Session } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { createTarget, getTurnPath, type SessionAccess, toInvokedHost } from '../../worker/target.ts';
import { isFileId } from './kept-files.ts';
import { readLink, type ValidLink } from './signed-links.ts';

const FILE_PATH = `${SESSION_PATH}/files/{file}` as const;

const GET_FILE_ROUTE = {
  method: 'GET',
  path: FILE_PATH,
} as const;

/** Returns the file routes of an app. `find` finds its files, and `table` contains its other routes. */
export const createFileRoutes = (find: AppFiles['find'], table: readonly Route[]): readonly Route[] => [
  // The messages route also accepts forms, but generated clients need one body type per operation.
  ...table
    .filter(({ path }) => path === `${SESSION_PATH}/messages`)
    .map(
      (route): Route => ({
        ...route,
        method: 'POST',
        path: `${SESSION_PATH}/forms`,
      }),
    ),
  // Returns the bytes of a session's file, to its owner and to anyone with a signed URL.
  defineRoute({
    ...GET_FILE_ROUTE,
    access: 'open',
    async handle(asked, { file, ...named }) {
      const { env, request, base, execution } = asked;
      const host = toInvokedHost(asked.host, env, execution);
      const now = host.clock.now();
      const link = await readLink(env, { ...named, file }, { url: request.url, now });
      // A signed request needs no authentication. Its URL contains the owner.
      const caller = link ? NO_PRINCIPAL : await authenticateCaller(asked);
      const other = link ?? {
        owner: await host.gates.owner?.({ ...asked, host, caller }, GET_FILE_ROUTE, named),
      };
      const target = createTarget({ host, env, base }, caller, { ...named, owner: other.owner });
      const response = await respondWithFile({ ...asked, host, target }, find, file);
      return link ? withSharedHeaders(response, link) : response;
    },
  }),
  // Deletes a file. Callers who can erase the session can delete its files.
  defineRoute({
    method: 'DELETE',
    path: FILE_PATH,
    access: 'session',
    async handle(asked, { file }) {
      await deleteSessionFile(asked, file);
      return new Response(null, { status: 204 });
    },
  }),
];

/** The maximum number of bytes per read. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const NO_PRINCIPAL = { id: '' };

/** Allows pages of any site to show the file, and browsers to cache it until the URL expires. */
function withSharedHeaders(response: Response, { left }: ValidLink): Response {
  response.headers.set('cache-control', `private, max-age=${left}`);
  response.headers.set('cross-origin-resource-policy', 'cross-origin');
  SHARED_RESPONSES.add(response);
  return response;
}

type FileRequest = FilesAccess & Pick<SessionRequest, 'request'>;

async function respondWithFile(asked: FileRequest, find: AppFiles['find'], id: string): Promise<Response> {
  const { method, headers } = asked.request;
  const isPlain = method === 'GET' && !headers.has('range') && !headers.has('if-none-match');
  const ahead = isPlain ? MAX_PAGE_BYTES : 1;
  const found = await find(asked, { id, ahead });
  if (!found) throw createUnknownFileError(id);
  const { size } = found.file;
  const tag = `"${id}"`;
  if (hasTag(headers, tag)) return new Response(null, { status: 304, headers: { etag: tag } });
  const range = method === 'GET' ? parseRange(headers, { tag, size }) : undefined;
  if (range === 'behind') throw createRangeError(size);
  const part = range ?? { from: 0, to: size };
  const length = part.to - part.from;
  const described = {
    etag: tag,
    ...SAFE_HEADERS,
    'content-type': getContentType(found.file),
    'content-disposition': formatContentDisposition(found.file),
    'content-length': String(length),
    ...(range && { 'content-range': `bytes ${part.from}-${part.to - 1}/${size}` }),
  };
  const body = method === 'HEAD' ? null : await readBody(found, part);
  return new Response(body, { status: range ? 206 : 200, headers: described });
}

/** Protects the person who opens a file from its author, because it is served from the app's origin. */
const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'accept-ranges': 'bytes',
};

/** Image types that cannot run code. An SVG can contain a script. */
const INLINE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Returns the content type. Without a charset, a browser would guess the encoding of text. */
const getContentType = ({ mediaType }: SessionFile['file']): string =>
  mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;

/** Returns the Content-Disposition (RFC 6266): whether a browser shows or saves the file, and its name. */
function formatContentDisposition({ mediaType, name: given }: SessionFile['file']): string {
  const kind = INLINE_TYPES.includes(mediaType) ? 'inline' : 'attachment';
  const name = toFileName(given ?? '')?.replaceAll(/[/\\]/g, '_');
  if (name === undefined) return kind;
  // The name for clients without RFC 8187, some of which would decode a percent sign.
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, percentEncode);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

const percentEncode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

const createRangeError = (size: number): Problem =>
  new Problem(
    'range-not-satisfiable',
    `The file has ${size} bytes, and the requested range contains none of them.`,
    { headers: { 'content-range': `bytes */${size}` } },
  );

/**
 * Returns the body of a response. Reads the first page before the response starts, so a failure of that read
 * changes the status.
 */
async function readBody({ read }: SessionFile, { from, to }: ByteRange): Promise<BodyInit> {
  const first = await read(from, Math.min(MAX_PAGE_BYTES, to - from));
  let at = from + first.byteLength;
  if (at >= to) return first;
  const { readable, writable } = new FixedLengthStream(to - from);
  let page: Uint8Array | undefined = first;
  const pages = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (page) controller.enqueue(page);
        else {
          const next = await read(at, Math.min(MAX_PAGE_BYTES, to - at));
          at += next.byteLength;
          controller.enqueue(next);
        }
        page = undefined;
        if (at >= to) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  // The pipe fails if the client disconnects, or if the session is erased. In the second case, the client
  // sees that the body is too short.
  pages.pipeTo(writable).catch(() => {});
  return readable;
}

/** The bytes from `from` up to but excluding `to`. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range that a request asks for (RFC 9110, section 14), or `behind` if it contains no byte.
 * Returns `undefined` for the whole file: without a range, with several ranges or an invalid range, or if
 * `If-Range` has another tag.
 */
function parseRange(
  headers: Headers,
  { tag, size }: { readonly tag: string; readonly size: number },
): ByteRange | 'behind' | undefined {
  const asked = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(headers.get('range')?.trim() ?? '');
  if (!asked || (headers.get('if-range') ?? tag) !== tag) return undefined;
  const [, first, last, suffix] = asked;
  if (first === undefined) return clampRange(size - Number(suffix), size, size);
  if (last !== undefined && last !== '' && Number(last) < Number(first)) return undefined;
  return clampRange(Number(first), last ? Number(last) + 1 : size, size);
}

const clampRange = (from: number, to: number, size: number): ByteRange | 'behind' =>
  from >= size ? 'behind' : { from: Math.max(from, 0), to: Math.min(to, size) };

/** The error does not reveal whether the file exists in another session. */
const createUnknownFileError = (id: string): SessionError =>
  new SessionError('unknown-file', `There is no file '${id.slice(0, 64)}' in this session.`);

/**
 * Deletes one file of a session. Its bytes can no longer be read and no longer count. Its line in the
 * conversation remains. Deleting the file again has no effect.
 *
 * @throws SessionError if the session never had such a file, if a turn is running, or if the open turn waits
 * for a role that the caller lacks.
 */
async function deleteSessionFile({ target }: SessionAccess, id: string): Promise<void> {
  const { port } = target;
  if (!isFileId(id)) throw createUnknownFileError(id);
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await assertCanEnd(target, openTurn.id, 'delete files of');
  const answer = await port.removeBlob(id);
  if (answer.status === 'unknown') throw createUnknownFileError(id);
  if (answer.status === 'deleted') return;
  const { turn } = answer;
  const detail =
    `Turn ${turn} is running, and its model can see the file. Delete the file when the turn has ended. ` +
    `GET ${getTurnPath(target, turn)} shows whether it has.`;
  throw new SessionError('session-busy', detail, { retryAfter: 1, more: { turn } });
}

/**
 * Deletes one file of a session from `sessionOf`, by its id. Its bytes cannot be read anymore and no longer
 * count. The file's line in the conversation shows the model that it was deleted.
 *
 * @throws SessionError `session-busy` while a turn is running, and `unknown-file` if the session never had
 * the file.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [files()] });
 * const session = sessionOf(holdfast, env, { agent: 'clerk', session: 's1', principal: { id: 'ada' } });
 * await deleteFile(session, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08');
 * ```
 */
export const deleteFile = (session: Session, id: string): Promise<void> =>
  runInSession(session, (at) => deleteSessionFile(at, id));
