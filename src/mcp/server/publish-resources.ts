import { checkResource, type McpResource } from './define-mcp-resource.ts';
import { McpEndpointDefinitionError, type Publication } from './publish.ts';
import { toContents } from './resource-contents.ts';
import type { Readable } from './resources.ts';
import { runForCaller } from './run-for-caller.ts';
import { sessionResources } from './session-resources.ts';
import { expand, toTemplate } from './uri-template.ts';

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
