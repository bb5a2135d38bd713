import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { isTextType, toBase64 } from '../../tool/content.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { type Json, type JsonObject, shorten } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import { createInvalidParamsError, RPC_CODE, RpcError } from '../content/rpc.ts';
import type { CallerScope } from './caller.ts';
import type { McpCompleter, McpContentsPart, McpResourceAnswer } from './define-mcp-resource.ts';
import { type MatchedValues, matchUri, type UriTemplate, VALUE_RULE } from './uri-template.ts';

/** A resource that clients can read, or a template for many. */
export interface PublishedResource {
  /** Its entry in listings. */
  readonly shown: ResourceEntry;
  readonly uri: string;
  readonly template: UriTemplate;
  /** Returns the contents for this caller, or `undefined` if there are none. */
  read(values: Values, uri: string, request: CallerScope): Promise<Contents | undefined>;
  /** How long and by whom the content can be cached. */
  readonly kept?: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  list?(request: CallerScope): Promise<ListResourcesResult['resources']>;
  readonly complete?: Readonly<Record<string, McpCompleter | undefined>> | undefined;
}

interface ResourceEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

type Values = Extract<MatchedValues, { ok: true }>['values'];

const isTemplate = ({ template }: PublishedResource): boolean => template.names.length > 0;

/** Handles `resources/list` (MCP specification, Resources). */
export async function listResources(
  resources: readonly PublishedResource[],
  request: CallerScope,
): Promise<ListResourcesResult> {
  const listed = await Promise.all(
    resources.map((one) =>
      isTemplate(one) ? (one.list?.(request) ?? []) : [{ uri: one.uri, ...one.shown }],
    ),
  );
  return { resources: listed.flat() };
}

/** Handles `resources/templates/list`. */
export const listTemplates = (resources: readonly PublishedResource[]): ListResourceTemplatesResult => ({
  resourceTemplates: resources
    .filter(isTemplate)
    .map(({ uri: uriTemplate, shown }) => ({ uriTemplate, ...shown })),
});

interface ReadRequest extends CallerScope {
  readonly params: JsonObject;
  readonly era: 'modern' | 'legacy';
}

const MAX_URI = 2_048;

/**
 * Handles `resources/read`.
 *
 * @throws RpcError with the URI as data if this caller has no such resource. Errors from `runForCaller` pass
 * through.
 */
export async function readResource(
  resources: readonly PublishedResource[],
  request: ReadRequest,
): Promise<ReadResourceResult> {
  const uri = readUri(request.params.uri);
  const found = findResource(resources, uri);
  const contents = found && (await found.resource.read(found.values, uri, request));
  if (!found || !contents) throw createUnknownResourceError(uri);
  return { contents, ...(request.era === 'modern' && found.resource.kept) };
}

function readUri(uri: Json | undefined): string {
  if (typeof uri !== 'string') throw createInvalidParamsError('`uri` must be the uri of a resource.');
  if (uri.length <= MAX_URI) return uri;
  throw createInvalidParamsError(
    `A uri can have at most ${MAX_URI} characters, but this one has ${uri.length}.`,
  );
}

/**
 * Returns the first resource that matches this URI. Resources without variables take precedence. @throws
 * RpcError for an invalid value in the URI.
 */
function findResource(
  resources: readonly PublishedResource[],
  uri: string,
): { readonly resource: PublishedResource; readonly values: Values } | undefined {
  const inOrder = resources.toSorted((one, other) => Number(isTemplate(one)) - Number(isTemplate(other)));
  for (const resource of inOrder) {
    const found = matchUri(resource.template, uri);
    if (found?.ok) return { resource, values: found.values };
    if (found)
      throw createResourceError(uri, `The uri is not valid: its {${found.name}} must be ${VALUE_RULE}.`);
  }
  return undefined;
}

/**
 * Creates the error for a resource, with the code of the specification since 2026-07-28. Older clients expect
 * -32002, but the SDK sends the new code to all of them.
 */
const createResourceError = (uri: string, message: string): RpcError =>
  new RpcError(RPC_CODE.invalidParams, message, { uri });

/** Creates the error for an unknown resource. It must not reveal whether another caller has the resource. */
const createUnknownResourceError = (uri: string): RpcError =>
  createResourceError(
    uri,
    `There is no resource '${shorten(uri, 200)}'. See resources/list and resources/templates/list.`,
  );

export type Contents = ReadResourceResult['contents'];

/**
 * Returns several contents from `read` of a resource, if one text, one value or one file is not enough.
 *
 * @example
 * ```ts
 * return mcpContents([{ text: '# Chart' }, { uri: 'charts://7.png', mimeType: 'image/png', bytes: png }]);
 * ```
 */
export function mcpContents(parts: readonly McpContentsPart[]): readonly McpContentsPart[] {
  const made = [...parts];
  CONTENTS_LISTS.add(made);
  return made;
}

/** The lists made by `mcpContents`. Any other list is a JSON value. */
const CONTENTS_LISTS = new WeakSet<object>();

const isContentsList = (answer: object): answer is readonly McpContentsPart[] => CONTENTS_LISTS.has(answer);

interface ContentType {
  readonly uri: string;
  readonly mimeType?: string | undefined;
}

/** The maximum size of one response in bytes and characters, equal to that of a result's files. */
const MAX_CONTENTS_BYTES = 12 * 1024 * 1024;

/** Converts the result of `read` to contents without secrets. @throws Error if it is not a valid result. */
export function toContents(
  answer: McpResourceAnswer,
  { secrets, ...typed }: ContentType & { readonly secrets: Secrets },
): Contents | undefined {
  if (answer === undefined || answer === null) return undefined;
  const parts = toContentsParts(answer, typed.mimeType);
  const size = parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : part.bytes.length), 0);
  if (size > MAX_CONTENTS_BYTES)
    throw new Error(`It has ${size} bytes of contents, but can have at most ${MAX_CONTENTS_BYTES}.`);
  return parts.map(({ uri: own = typed.uri, mimeType = typed.mimeType, ...part }) => {
    const uri = secrets.redact(own);
    return 'text' in part
      ? { uri, mimeType: mimeType ?? 'text/plain', text: secrets.redact(part.text) }
      : toBytesContent(part.bytes, { uri, mimeType }, (text) => secrets.redact(text));
  });
}

function toContentsParts(
  answer: Exclude<McpResourceAnswer, null | undefined>,
  mimeType = 'application/json',
): readonly McpContentsPart[] {
  if (typeof answer === 'string') return [{ text: answer }];
  if (answer instanceof Uint8Array) return [{ bytes: answer }];
  if (answer instanceof ArrayBuffer) return [{ bytes: new Uint8Array(answer) }];
  if (isContentsList(answer)) return answer;
  const copy = copyJson(answer);
  if (copy.ok) return [{ text: JSON.stringify(copy.value), mimeType }];
  const { path, what } = copy.problem;
  throw new Error(`Its value at ${path} is ${what}, which is not JSON.`);
}

/** Converts bytes to a content. Valid text becomes a text, for clients that show it to a model. */
export function toBytesContent(
  bytes: Uint8Array,
  { uri, mimeType = 'application/octet-stream' }: ContentType,
  clean: (text: string) => string = (text) => text,
): Contents[number] {
  if (isTextType(mimeType)) {
    const text = new TextDecoder().decode(bytes);
    const cleaned = clean(text);
    if (!text.includes('\uFFFD') || cleaned !== text) return { uri, mimeType, text: cleaned };
  }
  return { uri, mimeType, blob: toBase64(bytes) };
}
