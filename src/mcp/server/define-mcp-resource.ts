import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { describeValue, readName, withFullStop } from '../../tool/shown.ts';
import type { McpRequestContext } from './caller.ts';
import { McpEndpointDefinitionError } from './publish.ts';
import { type CheckedUri, findUriProblem, toTemplate, type UriVariables } from './uri-template.ts';

/** The decoded values of a URI's variables. Empty for a URI without variables. */
export type McpResourceValues<Uri extends string> = { readonly [Name in UriVariables<Uri>]: string };

/**
 * The result of `read`. A text, bytes or other JSON value is the whole content; use `mcpContents` for
 * several. `undefined` or `null` means that the resource does not exist for this caller.
 */
export type McpResourceAnswer = string | Uint8Array | object | null | undefined;

/** One content of a resource. */
export type McpContentsPart = {
  /** Defaults to the requested URI. */
  readonly uri?: string | undefined;
  /** Defaults to the resource's own type. */
  readonly mimeType?: string | undefined;
} & ({ readonly text: string } | { readonly bytes: Uint8Array });

/** Suggests values that begin with the typed text, best first. Clients receive at most 100. */
export type McpCompleter = (
  typed: string,
  asked: McpRequestContext & {
    /** The other values that the client has sent. Not validated. */
    readonly values: Readonly<Record<string, string>>;
  },
) => readonly string[] | Promise<readonly string[]>;

/** One resource of a template in a listing. */
export interface McpListedResource<Values = Readonly<Record<string, string>>> {
  /** The values that form its URI. */
  readonly values: Values;
  /** Defaults to its URI. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The argument of `defineMcpResource`. */
export interface McpResourceConfig<Uri extends string> {
  /** The name of the resource, or of a whole template, for clients. */
  readonly name: string;
  /**
   * The URI, such as `policy://returns`. Variables are in braces: `orders://{order}/lines` (RFC 6570, level
   * 1).
   */
  readonly uri: Uri;
  readonly description?: string | undefined;
  /** The name to display to people. */
  readonly title?: string | undefined;
  /**
   * Defaults to the type of the value that `read` returns: `text/plain`, `application/json` or
   * `application/octet-stream`.
   */
  readonly mimeType?: string | undefined;
  /**
   * Milliseconds for which a client can cache the content, sent in the revision 2026-07-28. Defaults to 0.
   */
  readonly ttlMs?: number | undefined;
  /**
   * `public` if the content is the same for every caller, so shared caches can store it. Defaults to
   * `private`.
   */
  readonly cacheScope?: 'public' | 'private' | undefined;
  /**
   * Reads the resource for the caller in `principal`. A value contains no slash, backslash or control
   * character, and is neither `.` nor `..`; apart from that it can be any text. Secrets are removed from
   * texts and JSON. Errors are logged, and not sent to the client.
   */
  readonly read: (
    values: McpResourceValues<Uri>,
    asked: McpRequestContext,
  ) => McpResourceAnswer | Promise<McpResourceAnswer>;
  /** For a template, lists the resources that this caller can see. Defaults to an empty list. */
  readonly list?: [UriVariables<Uri>] extends [never]
    ? undefined
    :
        | ((
            asked: McpRequestContext,
          ) =>
            | readonly McpListedResource<McpResourceValues<Uri>>[]
            | Promise<readonly McpListedResource<McpResourceValues<Uri>>[]>)
        | undefined;
  /** For a template, suggests values of its variables, by name. */
  readonly complete?: [UriVariables<Uri>] extends [never]
    ? undefined
    : { readonly [Name in UriVariables<Uri>]?: McpCompleter | undefined } | undefined;
}

/**
 * A resource that an endpoint publishes (MCP specification, Resources), or a template for many, without its
 * specific types.
 */
export interface McpResource<Uri extends string = string> {
  readonly name: string;
  readonly uri: Uri;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: 'public' | 'private' | undefined;
  read(
    values: Readonly<Record<string, string>>,
    asked: McpRequestContext,
  ): McpResourceAnswer | Promise<McpResourceAnswer>;
  list?(asked: McpRequestContext): readonly McpListedResource[] | Promise<readonly McpListedResource[]>;
  readonly complete?: Readonly<Record<string, McpCompleter | undefined>> | undefined;
}

/**
 * Declares a resource that clients can read, such as a document. A template with variables declares many,
 * such as the rows of a table.
 *
 * @throws McpEndpointDefinitionError if a key is unknown or missing, a value has the wrong type, or the URI
 * is not a valid template.
 *
 * @example
 * ```ts
 * const order = defineMcpResource({
 *   name: 'order',
 *   uri: 'orders://{order}',
 *   description: 'An order of the shop.',
 *   read: ({ order }, { principal }) => ({ order, of: principal.id }),
 *   complete: { order: (typed) => ['1001', '1002'].filter((id) => id.startsWith(typed)) },
 * });
 * ```
 */
export function defineMcpResource<const Uri extends string>(
  config: McpResourceConfig<Uri> & { readonly uri: CheckedUri<Uri> },
): McpResource<Uri> {
  checkResource(config);
  // The endpoint calls `read` and `list` only with the variables of this URI.
  return { ...config } as McpResource<Uri>;
}

/** @throws McpEndpointDefinitionError if the definition is invalid. */
export function checkResource(config: Omit<McpResource, 'read' | 'list'>): void {
  const fault = literals?.fault(config, SHAPE);
  const problem = fault?.problem ?? findProblem(config);
  if (problem !== undefined)
    throw new McpEndpointDefinitionError(
      'resources',
      `the resource '${readName(config)}' ${withFullStop(problem)}`,
    );
}

function findProblem(config: Omit<McpResource, 'read' | 'list'>): string | undefined {
  const { name, uri, ttlMs = 0, cacheScope = 'private', complete } = config;
  if (name.trim() === '') return 'has a blank name';
  const wrong = findUriProblem(uri);
  if (wrong !== undefined) return `has the uri ${describeValue(uri)}, which ${wrong}`;
  if (/^holdfast:/i.test(uri))
    return `has the uri ${describeValue(uri)}. Use another scheme, since Holdfast uses this one`;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    return `has the ttlMs ${describeValue(ttlMs)}. Use a whole number of milliseconds`;
  if (cacheScope !== 'public' && cacheScope !== 'private')
    return `has the cacheScope ${describeValue(cacheScope)}. Use 'public' or 'private'`;
  const { names } = toTemplate(uri);
  if (names.length === 0) {
    const given = (['list', 'complete'] as const).find((key) => Reflect.get(config, key) !== undefined);
    return given && `has '${given}', but no variable in its uri`;
  }
  const stranger = literals?.innerFault(complete, { keys: names });
  if (stranger) return `completes '${stranger.path}', which is not one of its variables. Use ${stranger.use}`;
  const idle = Object.entries(complete ?? {}).find(
    ([, one]) => one !== undefined && typeof one !== 'function',
  );
  return idle && `completes '${idle[0]}' by ${describeValue(idle[1])}. Use a function`;
}

const SHAPE = {
  of: 'defineMcpResource',
  keys: {
    name: 'text',
    uri: 'text',
    description: 'text',
    title: 'text',
    mimeType: 'text',
    ttlMs: 'any',
    cacheScope: 'any',
    read: 'function',
    list: 'function',
    complete: 'object',
  },
  required: ['name', 'uri', 'read'],
  foreign: { uriTemplate: 'uri', template: 'uri', handler: 'read', run: 'read', get: 'read' },
} satisfies LiteralShape<keyof McpResourceConfig<string>>;
