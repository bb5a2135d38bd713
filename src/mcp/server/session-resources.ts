/**
 * The contents of published agents' sessions as resources. The owner of a session reads its files and
 * artifacts, as over HTTP.
 */

import type { ResourceLink } from '@modelcontextprotocol/server';
import { parseCallId } from '../../journal/reply-data.ts';
import { readTurn } from '../../session/read-session.ts';
import { foldStoppedTurn, type TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { SessionError } from '../../worker/problem.ts';
import { toSessionError } from '../../worker/refusal.ts';
import { createTarget, isUnknownTarget, type SessionAccess } from '../../worker/target.ts';
import { McpContent } from '../content/mcp-content.ts';
import { RPC_CODE, RpcError } from '../content/rpc.ts';
import { type CallerScope, runForCaller } from './caller.ts';
import { checkResource, type McpResource } from './define-mcp-resource.ts';
import { McpEndpointDefinitionError, type Publication } from './publish.ts';
import { type Contents, type PublishedResource, toBytesContent, toContents } from './resources.ts';
import { expand, toTemplate } from './uri-template.ts';

/**
 * Returns the resources of an endpoint, in order: those of the app, then those in its agents' sessions.
 *
 * @throws McpEndpointDefinitionError if a resource is invalid, or two share a URI.
 */
export function collectResources(
  declared: readonly McpResource[],
  callable: ReadonlyMap<string, Publication>,
): readonly PublishedResource[] {
  const uris = new Set<string>();
  for (const [index, resource] of declared.entries()) {
    checkResource(resource);
    const shape = resource.uri.replaceAll(/\{[^}]*\}/g, '{}');
    if (uris.has(shape)) {
      throw new McpEndpointDefinitionError(
        `resources[${index}]`,
        `two resources have the uri '${resource.uri}', ignoring variable names. Change one.`,
      );
    }
    uris.add(shape);
  }
  return [...declared.map(toReadable), ...createSessionResources(callable)];
}

function toReadable(resource: McpResource): PublishedResource {
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

const FILES_URI = 'holdfast://{agent}/{session}/files/{id}';
/** The id of an artifact's call includes its turn, so only that part of the journal is read. */
const ARTIFACTS_URI = 'holdfast://{agent}/{session}/artifacts/{call}';

/**
 * Returns the templates for the sessions of these agents, with the agents' names for clients. Empty if no
 * agent is published.
 */
function createSessionResources(callable: ReadonlyMap<string, Publication>): readonly PublishedResource[] {
  const names = [...callable.values()].flatMap((one) => (one.kind === 'agent' ? [one.name] : []));
  if (names.length === 0) return [];
  const createReader =
    (
      find: (asked: SessionAccess, id: string, uri: string) => Promise<Contents | undefined>,
    ): PublishedResource['read'] =>
    async ({ agent: name = '', session = '', id = '', call = id }, uri, request) => {
      const published = callable.get(name);
      if (published?.kind !== 'agent') return undefined;
      return ignoreMissing(async () => find(await openSession(request, published.agent, session), call, uri));
    };
  const complete = { agent: (typed: string) => names.filter((name) => name.startsWith(typed)) };
  return [
    {
      shown: {
        name: 'session-file',
        description: 'A file of a session, by its id: the SHA-256 of its bytes.',
      },
      uri: FILES_URI,
      template: toTemplate(FILES_URI),
      complete,
      read: createReader(readFile),
    },
    {
      shown: {
        name: 'session-artifact',
        description: 'The value that a call of a session returned, by the id of the call.',
        mimeType: 'application/json',
      },
      uri: ARTIFACTS_URI,
      template: toTemplate(ARTIFACTS_URI),
      complete,
      read: createReader(readArtifact),
    },
  ];
}

async function openSession(
  { within, leave }: CallerScope,
  agent: string,
  session: string,
): Promise<SessionAccess> {
  const target = createTarget(within, within.caller, { agent, session });
  return { ...within, target, signal: leave };
}

/** The maximum size of one read from a session, in bytes. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

async function readFile(asked: SessionAccess, id: string, uri: string): Promise<Contents | undefined> {
  const found = await asked.host.files?.find(asked, { id, ahead: MAX_READ_BYTES });
  if (!found) return undefined;
  const { size, mediaType } = found.file;
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const page = await found.read(at, Math.min(MAX_READ_BYTES, size - at));
    bytes.set(page, at);
    at += page.byteLength;
  }
  return [toBytesContent(bytes, { uri, mimeType: mediaType })];
}

async function readArtifact(
  { target }: SessionAccess,
  call: string,
  uri: string,
): Promise<Contents | undefined> {
  const asked = parseCallId(call);
  const events = asked ? await readTurn(target.port, asked.turn) : [];
  if (events.length === 0) return undefined;
  const { artifacts } = foldStoppedTurn(target.session, target.agent.name, events);
  const found = artifacts.find((one) => one.call === call);
  return found && [{ uri, mimeType: 'application/json', text: JSON.stringify(found.value) }];
}

/**
 * Returns `undefined` for a missing or impossible resource. @throws RpcError if the session cannot be read
 * now.
 */
async function ignoreMissing(find: () => Promise<Contents | undefined>): Promise<Contents | undefined> {
  try {
    return await find();
  } catch (failure) {
    if (isUnknownTarget(failure)) return undefined;
    if (failure instanceof SessionError && failure.type === 'unknown-file') return undefined;
    const told = toSessionError(failure);
    if (told) throw new RpcError(RPC_CODE.internalError, told.message);
    throw failure;
  }
}

/** The maximum number of links in one response, which a model reads. */
const MAX_LINKS = 20;

/**
 * Returns links to a turn's files and typed artifacts. Omits untyped artifacts, since every call that returns
 * an object has one, and content of MCP servers, which is already among the files.
 */
export function toResourceLinks(
  { name: agent, session }: { readonly name: string; readonly session: string },
  { files = [], artifacts }: Pick<TurnAnswer, 'files' | 'artifacts'>,
): readonly ResourceLink[] {
  // A session can have such a name, but a URI cannot contain it.
  if (/^\.\.?$/.test(session)) return [];
  const typed = artifacts.filter(
    ({ type, types }) => types ?? (type !== undefined && type !== McpContent.name),
  );
  const links = [
    ...files.map(({ id, name = id, mediaType: mimeType, size }) => ({
      uri: expand(toTemplate(FILES_URI), { agent, session, id }),
      name,
      mimeType,
      size,
    })),
    ...typed.map(({ call, tool, type = tool }) => ({
      uri: expand(toTemplate(ARTIFACTS_URI), { agent, session, call }),
      name: type,
      description: `The result of the tool ${tool}.`,
      mimeType: 'application/json',
    })),
  ];
  const once = new Map(links.map((link) => [link.uri, { type: 'resource_link' as const, ...link }]));
  return [...once.values()].slice(0, MAX_LINKS);
}
