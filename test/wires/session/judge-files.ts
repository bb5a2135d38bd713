/**
 * Compares the files of a session with its requests. Every request after the event that added a file must
 * contain it.
 */

import type { SessionEvent } from '../../../src/journal/entry.ts';
import type { ModelMedia } from '../../../src/model/entry.ts';
import { hashFiles } from '../files.ts';
import { listReplies, type Wire } from '../wire.ts';
import { findDifferences } from './differences.ts';
import { getPostedSamples, SHOT_IMAGE } from './files.ts';
import { getMedia } from './models.ts';
import { type PlacedFile, readRequest } from './placed-files.ts';
import { LOOPS, type LoopName, SCRIPTS } from './script.ts';
import type { WireName } from './servers.ts';

/** The files of a session whose turns have ended. */
export interface FilePlay {
  readonly wire: WireName;
  readonly events: readonly SessionEvent[];
  readonly servers: Readonly<Record<LoopName, Wire>>;
}

/** Returns the missing and misplaced files. */
export async function findLostFiles({ wire, events, servers }: FilePlay): Promise<readonly string[]> {
  const media = getMedia(wire);
  const brought = await collectBrought(events);
  const lost = await Promise.all(
    LOOPS.flatMap((loop) =>
      servers[loop].requests.map(async (body, index) => {
        const { replies, files } = await readRequest(wire, body);
        const expected = loop === 'main' ? await computeExpectedFiles({ media, brought, replies }) : NO_FILES;
        const name = `files of request ${index + 1} of ${loop}`;
        return [
          ...findDifferences(name, expected.files.map(formatFile), files.map(formatFile)),
          ...findStrayBytes(name, JSON.stringify(body), files),
          ...findUnnamed(name, JSON.stringify(body), expected.ids),
        ];
      }),
    ),
  );
  return [
    ...(brought.get(TINY_TOOL) === undefined ? [`${TINY_TOOL} brought no image`] : []),
    ...findStrayBytes('files of the journal', JSON.stringify(events), []),
    ...lost.flat(),
  ];
}

/** The MCP tool that returns an image. */
const TINY_TOOL = 'get-tiny-image';

const PNG_TYPE = 'image/png';

/** Returns the hash of each tool's image. */
async function collectBrought(events: readonly SessionEvent[]): Promise<ReadonlyMap<string, string>> {
  const calls = events.flatMap((event) => (event.type === 'model-replied' ? event.toolCalls : []));
  const ids = new Set(calls.filter(({ name }) => name === TINY_TOOL).map(({ id }) => id));
  const tiny = events.flatMap((event) => {
    if (event.type !== 'tool-call-ended' || !ids.has(event.call)) return [];
    const parts = 'parts' in event.result ? (event.result.parts ?? []) : [];
    return parts.flatMap((part) => ('id' in part && part.mediaType === PNG_TYPE ? part.id : []));
  });
  const [shot = ''] = await hashFileList([SHOT_IMAGE]);
  const [id, ...more] = tiny;
  return new Map([
    ['shot', shot],
    ...(id === undefined || more.length > 0 ? [] : [[TINY_TOOL, id] as const]),
  ]);
}

const hashFileList = async (files: readonly string[]): Promise<readonly string[]> =>
  (await hashFiles(files.map((base64) => ({ where: 'message', base64 })))).map(({ sha256 = '' }) => sha256);

interface FileExpectation {
  readonly media: ModelMedia;
  readonly brought: ReadonlyMap<string, string>;
  readonly replies: number;
}

interface ExpectedFile {
  /** The files that the request contains as files. */
  readonly files: readonly PlacedFile[];
  /** The ids that the request mentions, at least as text. */
  readonly ids: readonly string[];
}

const NO_FILES: ExpectedFile = { files: [], ids: [] };

/** Returns the expected content of a main loop request after this many replies. */
async function computeExpectedFiles({ media, brought, replies }: FileExpectation): Promise<ExpectedFile> {
  const files: PlacedFile[] = [];
  const ids: string[] = [];
  let results = 0;
  const addMessageFiles = async (turn: number, replies: number): Promise<void> => {
    const posted = getPostedSamples(turn, media);
    const hashes = await hashFileList(posted.map(({ base64 }) => base64));
    ids.push(...hashes);
    for (const [at, { mediaType }] of posted.entries())
      files.push({ where: 'message', mediaType, sha256: hashes[at] ?? '', replies, results });
  };
  await addMessageFiles(0, 0);
  for (const { at, turn, calls } of listReplies(SCRIPTS.main).slice(0, replies)) {
    const moved: string[] = [];
    for (const { name } of calls) {
      results += 1;
      const sha256 = brought.get(name);
      if (sha256 === undefined) continue;
      ids.push(sha256);
      if (media.result.data.includes(PNG_TYPE))
        files.push({ where: 'result', mediaType: PNG_TYPE, sha256, replies: at + 1, results });
      else if (media.message.data.includes(PNG_TYPE)) moved.push(sha256);
    }
    for (const sha256 of moved)
      files.push({ where: 'message', mediaType: PNG_TYPE, sha256, replies: at + 1, results });
    if (calls.length === 0) await addMessageFiles(turn + 1, at + 1);
  }
  return { files, ids };
}

const formatFile = ({ where, mediaType, sha256, replies, results }: PlacedFile): string =>
  `${mediaType} ${sha256} in a ${where} behind ${replies} replies and ${results} results`;

/** The first bytes of each type, in base64 and as numbers. */
const FILE_BEGINNINGS: readonly (readonly [mediaType: string, base64: string, numbers: RegExp])[] = [
  [PNG_TYPE, 'iVBORw0KGgo', /137,\s*80,\s*78,\s*71|"0":\s*137,/],
  ['application/pdf', 'JVBERi0', /37,\s*80,\s*68,\s*70,|"0":\s*37,/],
];

/** Returns file bytes that occur outside of these files. */
const findStrayBytes = (name: string, text: string, files: readonly PlacedFile[]): readonly string[] =>
  FILE_BEGINNINGS.flatMap(([type, base64, numbers]) => {
    const known = files.filter(({ mediaType }) => mediaType === type).length;
    const seen = text.split(base64).length - 1 + (numbers.test(text) ? 1 : 0);
    return seen === known ? [] : [`${name}: bytes of ${type} stand there ${seen} times instead of ${known}`];
  });

/**
 * Returns the ids that the request does not mention. The model receives the id of each file, even if it does
 * not accept the file.
 */
const findUnnamed = (name: string, text: string, ids: readonly string[]): readonly string[] =>
  ids.filter((id) => !text.includes(`[file ${id}: `)).map((id) => `${name}: ${id} is not named`);
