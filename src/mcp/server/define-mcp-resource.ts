import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { ended, nameIn, shown } from '../../tool/shown.ts';
import type { McpAsked } from './caller.ts';
import { McpEndpointDefinitionError } from './publish.ts';
import { type CheckedUri, toTemplate, type UriVariables, uriProblem } from './uri-template.ts';

/** The values of a uri's variables, decoded; none of a uri without any. */
export type McpResourceValues<Uri extends string> = { readonly [Name in UriVariables<Uri>]: string };

/**
 * What `read` answers. A text, bytes, and anything else that JSON can hold, are the whole content; `mcpContents` makes several. There is
 * no such resource for this caller when it is `undefined` or `null`.
 */
export type McpResourceAnswer = string | Uint8Array | object | null | undefined;

/** One content of a resource. */
export type McpContentsPart = {
  /** The uri that was asked for unless given. */
  readonly uri?: string | undefined;
  /** The resource's own unless given. */
  readonly mimeType?: string | undefined;
} & ({ readonly text: string } | { readonly bytes: Uint8Array });

/** Suggests values that begin as what a person has typed, the best ones first; clients are told 100 of them. */
export type McpCompleting = (
  typed: string,
  asked: McpAsked & {
    /** The other values, as far as the client has told them: texts that nobody has checked. */
    readonly values: Readonly<Record<string, string>>;
  },
) => readonly string[] | Promise<readonly string[]>;

/** One resource of a template, as a listing names it. */
export interface McpListedResource<Values = Readonly<Record<string, string>>> {
  /** Its uri is made of these. */
  readonly values: Values;
  /** Its uri unless given. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The literal that `defineMcpResource` takes. */
export interface McpResourceConfig<Uri extends string> {
  /** What clients call it, or the whole of a template. */
  readonly name: string;
  /** Such as `policy://returns`, or with variables in braces: `orders://{order}/lines` (RFC 6570, level 1). */
  readonly uri: Uri;
  readonly description?: string | undefined;
  /** Its name as people are shown it. */
  readonly title?: string | undefined;
  /** Unless given, that of what `read` answers: `text/plain`, `application/json` or `application/octet-stream`. */
  readonly mimeType?: string | undefined;
  /** Milliseconds for which a client may keep what it has read, which the revision 2026-07-28 tells it; 0 unless given. */
  readonly ttlMs?: number | undefined;
  /** `public`: what is read is the same for every caller, so that others may keep it for all. `private` unless given. */
  readonly cacheScope?: 'public' | 'private' | undefined;
  /**
   * Reads it for the caller, whose `principal` says what is theirs. A value holds no slash, backslash or control character, and is neither `.` nor
   * `..`; it may be anything else. Secrets are taken out of texts and JSON, as of results. The client is not told what it throws,
   * which is logged.
   */
  readonly read: (
    values: McpResourceValues<Uri>,
    asked: McpAsked,
  ) => McpResourceAnswer | Promise<McpResourceAnswer>;
  /** Of a template: those of its resources that this caller is shown in listings; none unless given. */
  readonly list?: [UriVariables<Uri>] extends [never]
    ? undefined
    :
        | ((
            asked: McpAsked,
          ) =>
            | readonly McpListedResource<McpResourceValues<Uri>>[]
            | Promise<readonly McpListedResource<McpResourceValues<Uri>>[]>)
        | undefined;
  /** Of a template: suggests values of its variables to a person who types one, by their names. */
  readonly complete?: [UriVariables<Uri>] extends [never]
    ? undefined
    : { readonly [Name in UriVariables<Uri>]?: McpCompleting | undefined } | undefined;
}

/** A resource that an endpoint publishes (MCP specification, Resources), or a template of many, its types erased. */
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
    asked: McpAsked,
  ): McpResourceAnswer | Promise<McpResourceAnswer>;
  list?(asked: McpAsked): readonly McpListedResource[] | Promise<readonly McpListedResource[]>;
  readonly complete?: Readonly<Record<string, McpCompleting | undefined>> | undefined;
}

/**
 * Declares something that clients may read: a document, or by a template with variables the rows of a table.
 *
 * @throws McpEndpointDefinitionError when a key of the literal is not known, one is missing, a value is of another kind, or the uri can be no
 *   template.
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
  // A uri of these variables alone is read, and listed, by them.
  return { ...config } as McpResource<Uri>;
}

/** @throws McpEndpointDefinitionError when the literal of a resource cannot work. */
export function checkResource(config: Omit<McpResource, 'read' | 'list'>): void {
  const fault = literals?.fault(config, SHAPE);
  const problem = fault?.problem ?? problemOf(config);
  if (problem !== undefined)
    throw new McpEndpointDefinitionError('resources', `the resource '${nameIn(config)}' ${ended(problem)}`);
}

function problemOf(config: Omit<McpResource, 'read' | 'list'>): string | undefined {
  const { name, uri, ttlMs = 0, cacheScope = 'private', complete } = config;
  if (name.trim() === '') return 'has a name that is blank';
  const wrong = uriProblem(uri);
  if (wrong !== undefined) return `has the uri ${shown(uri)}, which ${wrong}`;
  if (/^holdfast:/i.test(uri)) return `has the uri ${shown(uri)}: use another scheme, since that is ours`;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    return `has the ttlMs ${shown(ttlMs)}: use a whole number of milliseconds`;
  if (cacheScope !== 'public' && cacheScope !== 'private')
    return `has the cacheScope ${shown(cacheScope)}: use 'public' or 'private'`;
  const { names } = toTemplate(uri);
  if (names.length === 0) {
    const given = (['list', 'complete'] as const).find((key) => Reflect.get(config, key) !== undefined);
    return given && `has '${given}', and no variable in its uri`;
  }
  const stranger = literals?.innerFault(complete, { keys: names });
  if (stranger) return `completes '${stranger.path}', which is no variable of it: use ${stranger.use}`;
  const idle = Object.entries(complete ?? {}).find(
    ([, one]) => one !== undefined && typeof one !== 'function',
  );
  return idle && `completes '${idle[0]}' by ${shown(idle[1])}: use a function`;
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
