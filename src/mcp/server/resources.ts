import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { invalidParams, RPC_CODE, RpcError } from '../content/rpc.ts';
import type { McpCompleting } from './define-mcp-resource.ts';
import type { Contents } from './resource-contents.ts';
import type { ForCaller } from './run-for-caller.ts';
import { type FoundValues, type UriTemplate, VALUE_RULE, valuesIn } from './uri-template.ts';

/** One resource that clients can read, or a template of many. */
export interface Readable {
  /** As listings have it. */
  readonly shown: Shown;
  readonly uri: string;
  readonly template: UriTemplate;
  /** Answers what is there for this caller; `undefined` when nothing is. */
  read(values: Values, uri: string, request: ForCaller): Promise<Contents | undefined>;
  /** How long what was read may be kept, and by whom. */
  readonly kept?: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  list?(request: ForCaller): Promise<ListResourcesResult['resources']>;
  readonly complete?: Readonly<Record<string, McpCompleting | undefined>> | undefined;
}

interface Shown {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

type Values = Extract<FoundValues, { ok: true }>['values'];

const isTemplate = ({ template }: Readable): boolean => template.names.length > 0;

/** Answers `resources/list` (MCP specification, Resources). */
export async function listResources(
  resources: readonly Readable[],
  request: ForCaller,
): Promise<ListResourcesResult> {
  const listed = await Promise.all(
    resources.map((one) =>
      isTemplate(one) ? (one.list?.(request) ?? []) : [{ uri: one.uri, ...one.shown }],
    ),
  );
  return { resources: listed.flat() };
}

/** Answers `resources/templates/list`. */
export const listTemplates = (resources: readonly Readable[]): ListResourceTemplatesResult => ({
  resourceTemplates: resources
    .filter(isTemplate)
    .map(({ uri: uriTemplate, shown }) => ({ uriTemplate, ...shown })),
});

interface ReadRequest extends ForCaller {
  readonly params: JsonObject;
  readonly era: 'modern' | 'legacy';
}

/** The most characters of a uri. */
const MAX_URI = 2_048;

/**
 * Answers `resources/read`.
 *
 * @throws RpcError when nothing is there for this caller, with the uri as its data; what `runForCaller` does.
 */
export async function readResource(
  resources: readonly Readable[],
  request: ReadRequest,
): Promise<ReadResourceResult> {
  const uri = uriIn(request.params.uri);
  const found = findResource(resources, uri);
  const contents = found && (await found.resource.read(found.values, uri, request));
  if (!found || !contents) throw unknown(uri);
  return { contents, ...(request.era === 'modern' && found.resource.kept) };
}

function uriIn(uri: Json | undefined): string {
  if (typeof uri !== 'string') throw invalidParams('`uri` must be text: the uri of a resource.');
  if (uri.length <= MAX_URI) return uri;
  throw invalidParams(`A uri may have ${MAX_URI} characters, and this one has ${uri.length}.`);
}

/** Finds the first that has this uri, those without variables first. @throws RpcError when a value in it can be none. */
function findResource(
  resources: readonly Readable[],
  uri: string,
): { readonly resource: Readable; readonly values: Values } | undefined {
  const inOrder = resources.toSorted((one, other) => Number(isTemplate(one)) - Number(isTemplate(other)));
  for (const resource of inOrder) {
    const found = valuesIn(resource.template, uri);
    if (found?.ok) return { resource, values: found.values };
    if (found) throw refused(uri, `The uri is not valid: its {${found.name}} must be ${VALUE_RULE}.`);
  }
  return undefined;
}

/** The code that the specification has had since 2026-07-28: older clients know -32002, and the SDK answers this one to all. */
const refused = (uri: string, message: string): RpcError =>
  new RpcError(RPC_CODE.invalidParams, message, { uri });

/** Whoever asks is not told whether somebody else has it. */
const unknown = (uri: string): RpcError =>
  refused(
    uri,
    `There is no resource '${shorten(uri, 200)}'. resources/list and resources/templates/list name what there is.`,
  );
