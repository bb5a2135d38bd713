/** Parameters that clients repeat in headers, for whatever stands before the Worker and reads no bodies (MCP specification, `x-mcp-header`). */
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';

/** A parameter of a tool whose schema names a header for it. */
interface Repeated {
  readonly path: readonly string[];
  readonly header: Json;
  readonly type: Json | undefined;
}

const KEYWORD = 'x-mcp-header';

/** What a schema declares along its properties: nowhere else does the protocol allow it. */
function repeatedIn(schema: unknown, path: readonly string[] = []): readonly Repeated[] {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, one]) => {
    const [at, header] = [[...path, name], isJsonObject(one) ? one[KEYWORD] : undefined];
    const type = isJsonObject(one) ? one.type : undefined;
    return [...(header === undefined ? [] : [{ path: at, header, type }]), ...repeatedIn(one, at)];
  });
}

/** What of a header's name may be in one (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Says, as a sentence goes on after the name of a tool, what is wrong with the headers that its schema declares. */
export function headersFault(schema: unknown): string | undefined {
  const taken = new Set<string>();
  for (const { path, header, type } of repeatedIn(schema)) {
    const where = `has the \`${KEYWORD}\` ${JSON.stringify(header)} at '${path.join('.')}'`;
    if (typeof header !== 'string' || !TOKEN.test(header))
      return `${where}: use what may be part of a header's name.`;
    if (!TYPES.includes(type)) return `${where}: only a string, an integer or a boolean goes into a header.`;
    if (taken.has(header.toLowerCase())) return `${where}, as another parameter has.`;
    taken.add(header.toLowerCase());
  }
  return undefined;
}

/** Says in what the headers of a call disagree with its arguments; `undefined` when they do not. */
export function headersMismatch(
  schema: unknown,
  input: JsonObject,
  headers: Headers,
): { readonly header: string; readonly body: string } | undefined {
  for (const { path, header, type } of repeatedIn(schema)) {
    const value = path.reduce<Json | undefined>(
      (at, name) => (isJsonObject(at) ? at[name] : undefined),
      input,
    );
    // A value of another kind has no header; the schema refuses it.
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${String(header)}`;
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
