import type { FilePart, ReplyPart, SourcePart, ToolResultPart } from '../parts.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { invalidReply, jsonTextOf, stringOf } from '../untrusted-reply.ts';
import { providerDataOf } from './provider-data.ts';

/**
 * Reads a part of a reply that comes in one piece, in a whole reply or in a stream; `undefined` for one that is not for us,
 * or was not thought of when this was written.
 *
 * @throws ModelError `invalid-reply` for a part that is not what its type says.
 */
export function toReplyPart(part: UntrustedRecord): ReplyPart | undefined {
  const read = readers.get(part.type)?.(part);
  if (!read) return undefined;
  const provider = providerDataOf(part);
  return provider ? { ...read, provider } : read;
}

const readers: ReadonlyMap<unknown, (part: UntrustedRecord) => ReplyPart | undefined> = new Map([
  ['tool-call', toCall],
  ['tool-result', toResult],
  ['file', toFile],
  ['reasoning-file', (part) => ({ ...toFile(part), ofReasoning: true })],
  ['source', toSource],
  ['custom', toCustom],
] as const);

function toCall(part: UntrustedRecord): ReplyPart {
  // The interface says that an input is text; some models of the community hand over what they parsed.
  const input = jsonTextOf(part.input);
  const call = { id: stringOf(part, 'toolCallId'), name: stringOf(part, 'toolName'), input };
  return { type: 'tool-call', ...call, ...(part.providerExecuted === true && { ranBy: 'provider' }) };
}

function toResult(part: UntrustedRecord): ToolResultPart | undefined {
  // The whole result is still to come.
  if (part.preliminary === true) return undefined;
  return {
    type: 'tool-result',
    id: stringOf(part, 'toolCallId'),
    name: stringOf(part, 'toolName'),
    result: JSON.parse(jsonTextOf(part.result === undefined ? null : [part.result]) || '[null]')[0],
    ...(part.isError === true && { isError: true }),
  };
}

function toFile(part: UntrustedRecord): FilePart {
  const { data } = part;
  return { type: 'file', mediaType: stringOf(part, 'mediaType'), data: fileData(data) };
}

/** The two specifications hold it differently: alone, or under what it is. */
function fileData(data: unknown): string {
  if (typeof data === 'string') return data;
  if (data instanceof Uint8Array) return toBase64(data);
  if (data instanceof URL) return data.href;
  if (isRecord(data)) {
    if (typeof data.originalUrl === 'string') return data.originalUrl;
    const inner = data.url ?? data.data;
    if (!isRecord(inner) || inner instanceof Uint8Array || inner instanceof URL) return fileData(inner);
  }
  throw invalidReply("The model's reply holds a file without data.");
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function toSource(part: UntrustedRecord): SourcePart {
  const rest = ['url', 'title', 'mediaType', 'filename'].flatMap((key) =>
    typeof part[key] === 'string' ? [[key, part[key]]] : [],
  );
  return { type: 'source', id: stringOf(part, 'id'), ...Object.fromEntries(rest) };
}

function toCustom(part: UntrustedRecord): ReplyPart | undefined {
  const kind = stringOf(part, 'kind');
  // It repeats what the whole reply says, and its provider does not want it back.
  return kind === 'anthropic.message_start' ? undefined : { type: 'custom', kind };
}
