/** Reads a message that is sent as a form: text fields, and files in fields of any other name. */
import { toFileName, toMediaType } from '../../tool/content.ts';
import { type Json, parseJson } from '../../tool/json.ts';
import type { BodyLimits, MessageForm, PlacedPart } from '../../worker/app-files.ts';
import { besidesFiles, MAX_PARTS, readBytes } from '../../worker/body.ts';
import { Problem } from '../../worker/problem.ts';

/** @throws Problem 413 for a body that is too large, or 400 when it is no form. */
export async function readForm(request: Request, { most, besides }: BodyLimits): Promise<MessageForm> {
  const form = await parseForm(request, await readBytes(request, most));
  const fields = new Map<string, Json>();
  const sent: File[] = [];
  const wrong = new Set<string>();
  for (const [name, value] of form) {
    if (!FIELDS.has(name) && isUnfilled(value)) continue;
    if (typeof value !== 'string') {
      if (FIELDS.has(name)) wrong.add(`${name}: must be text; send files in fields of other names`);
      else sent.push(value);
    } else if (value.length > besides) throw besidesFiles(besides);
    else if (fields.has(name)) wrong.add(`${name.slice(0, 40)}: is there more than once`);
    else fields.set(name, FIELDS.get(name)?.(value) ?? value);
  }
  const problems = [...wrong].slice(0, MAX_PROBLEMS);
  const files = sent.length > MAX_PARTS ? [] : await Promise.all(sent.map(toPart(problems)));
  if (sent.length > MAX_PARTS) problems.push(`files: must be at most ${MAX_PARTS}`);
  return { fields: Object.fromEntries(fields), files, problems };
}

/** A body of megabytes has room for a hundred thousand fields. */
const MAX_PROBLEMS = 10;

/** The fields that are text, each with how its value is read; one that cannot be read is refused as what it is. */
const FIELDS: ReadonlyMap<string, (text: string) => Json> = new Map([
  ['message', (text: string): Json => text],
  ['context', (text): Json => parseJson(text) ?? text],
  ['loopId', (text: string): Json => text],
  ['delaySeconds', (text: string): Json => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)],
]);

async function parseForm(request: Request, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  try {
    return await new Response(bytes, { headers }).formData();
  } catch {
    throw new Problem('bad-form', 'The body is not multipart/form-data as its Content-Type says.');
  }
}

/** A page sends an input that nobody has given a file as an empty file without a name, which some platforms take for text. */
const isUnfilled = (value: File | string): boolean =>
  typeof value === 'string' ? value === '' : value.name === '' && value.size === 0;

const toPart =
  (problems: string[]) =>
  async (file: File, index: number): Promise<PlacedPart> => {
    const at = `files[${index}]`;
    const mediaType = toMediaType(file.type);
    if (mediaType === undefined) problems.push(`${at}: needs a Content-Type such as image/png`);
    if (file.size === 0) problems.push(`${at}: is empty`);
    const name = toFileName(file.name);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const named = name === undefined ? {} : { name };
    return { at, part: { type: 'file', mediaType: mediaType ?? '', ...named, bytes } };
  };
