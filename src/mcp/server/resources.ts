import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { type Json, shorten } from '../../tool/json.ts';
import { invalidParams, RPC_CODE, RpcError } from '../content/rpc.ts';
import type { RpcRequest } from './answer-request.ts';
import { checkResource, type McpCompleting, type McpResource } from './define-mcp-resource.ts';
import { McpEndpointDefinitionError, type Publication } from './publish.ts';
import { type Contents, toContents } from './resource-contents.ts';
import { runForCaller } from './run-for-caller.ts';
import { sessionResources } from './session-resources.ts';
import {
  expand,
  type FoundValues,
  toTemplate,
  type UriTemplate,
  VALUE_RULE,
  valuesIn,
} from './uri-template.ts';

/** One resource that clients can read, or a template of many. */
export interface Readable {
  /** As listings have it. */
  readonly shown: Shown;
  readonly uri: string;
  readonly template: UriTemplate;
  /** Answers what is there for this caller; `undefined` when nothing is. */
  read(values: Values, uri: string, request: RpcRequest): Promise<Contents | undefined>;
  /** How long what was read may be kept, and by whom. */
  readonly kept?: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  list?(request: RpcRequest): Promise<ListResourcesResult['resources']>;
  readonly complete?: Readonly<Record<string, McpCompleting | undefined>> | undefined;
}

interface Shown {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

type Values = Extract<FoundValues, { ok: true }>['values'];

/**
 * Gathers what clients can read, in order: what the app publishes, then what is in the sessions of its agents.
 *
 * @throws McpEndpointDefinitionError when a resource cannot work, or two have one uri.
 */
export function publishResources(
  declared: readonly McpResource[],
  callable: ReadonlyMap<string, Publication>,
): readonly Readable[] {
  const uris = new Set<string>();
  for (const [index, resource] of declared.entries()) {
    checkResource(resource);
    const shape = resource.uri.replaceAll(/\{[^}]*\}/g, '{}');
    if (uris.has(shape)) {
      throw new McpEndpointDefinitionError(
        `resources[${index}]`,
        `two resources have the uri '${resource.uri}', whatever its variables are called.`,
      );
    }
    uris.add(shape);
  }
  return [...declared.map(toReadable), ...sessionResources(callable)];
}

const isTemplate = ({ template }: Readable): boolean => template.names.length > 0;

function toReadable(resource: McpResource): Readable {
  const { name, title, description, mimeType, uri, ttlMs = 0, cacheScope = 'private', complete } = resource;
  const template = toTemplate(uri);
  const typed = mimeType !== undefined && { mimeType };
  const what = `resource '${name}'`;
  return {
    shown: {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...typed,
    },
    uri,
    template,
    kept: { ttlMs, cacheScope },
    complete,
    read: (values, asked, request) =>
      runForCaller(request, what, async (from) =>
        toContents(await resource.read(values, from), { uri: asked, mimeType, secrets: from.secrets }),
      ),
    ...(resource.list && {
      list: (request) =>
        runForCaller(request, `the listing of ${what}`, async (from) => {
          const listed = (await resource.list?.(from)) ?? [];
          return listed.map(({ values, name: own, title: titled, description: about }) => {
            const at = expand(template, Object(values));
            const told = { title: titled, description: about };
            const given = Object.entries(told).filter(([, text]) => text !== undefined);
            return {
              ...from.secrets.redact({ uri: at, name: own ?? at, ...Object.fromEntries(given) }),
              ...typed,
            };
          });
        }),
    }),
  };
}

/** Answers `resources/list` (MCP specification, Resources). */
export async function listResources(
  resources: readonly Readable[],
  request: RpcRequest,
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

/** The most characters of a uri. */
const MAX_URI = 2_048;

/**
 * Answers `resources/read`.
 *
 * @throws RpcError when nothing is there for this caller, with the uri as its data; what `runForCaller` does.
 */
export async function readResource(
  resources: readonly Readable[],
  request: RpcRequest,
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
