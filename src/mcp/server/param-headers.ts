/** Parameters that clients repeat in headers: what an endpoint publishes of them, and whether they are what the body says. */
import { attempt } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { type HeaderFault, headerFault, repeatedIn, valueAt } from '../content/param-headers.ts';

/** Says, as a sentence goes on after the name of a tool, what is wrong with the headers that its schema declares. */
export function headersFault(schema: unknown): string | undefined {
  const fault = headerFault(schema);
  if (!fault) return undefined;
  const { path, header, kind } = fault;
  return `has the \`x-mcp-header\` ${JSON.stringify(header)} at '${path.join('.')}'${MENDS[kind]}`;
}

const MENDS: Readonly<Record<HeaderFault['kind'], string>> = {
  place: ': only a property of its input, or of an object in it, goes into a header.',
  name: ": use what may be part of a header's name.",
  type: ': only a string, an integer or a boolean goes into a header.',
  twice: ', as another parameter has.',
};

/** Says in what the headers of a call disagree with its arguments; `undefined` when they do not. */
export function headersMismatch(
  schema: unknown,
  input: JsonObject,
  headers: Headers,
): { readonly header: string; readonly body: string } | undefined {
  for (const { path, header, type } of repeatedIn(schema)) {
    const value = valueAt(input, path);
    // A value of another kind has no header; the schema refuses it.
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const sent = headers.get(name);
    const told = `the body carries ${path.join('.')}=${JSON.stringify(value)}`;
    if (sent === null) return { header: name, body: `${told} but the ${name} header is absent` };
    const read = decoded(sent);
    if (read === undefined)
      return { header: name, body: `the ${name} header says that it is Base64, and is not` };
    const isSame =
      type === 'integer' && /^-?\d+(\.\d+)?$/.test(read) ? Number(read) === value : read === String(value);
    if (!isSame) return { header: name, body: `${told} but the ${name} header says ${JSON.stringify(read)}` };
  }
  return undefined;
}

/** The value of a header, which is in Base64 when it says so; `undefined` when it says so and is not. */
function decoded(value: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  return text.ok ? text.value : undefined;
}
