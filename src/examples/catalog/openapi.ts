import type { JsonObject } from '../../index.ts';

/** The parts of an OpenAPI 3 document that become tools. */
export interface OpenApiDocument {
  readonly paths?: JsonObject | undefined;
  readonly tags?: readonly { readonly name: string; readonly description?: string | undefined }[] | undefined;
}

export type Method = (typeof METHODS)[number];

/** An operation, including the parameters that all operations of its path share. */
export interface Operation {
  readonly method: Method;
  /** The path with its placeholders, such as `/repos/{owner}`. */
  readonly path: string;
  /** The operation's first tag, or `other`. */
  readonly tag: string;
  /** Its `operationId`, or its method and path. */
  readonly id: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody | undefined;
}

/** A parameter that the model can set. Excludes cookies, since they carry credentials. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string | undefined;
  readonly required: boolean;
  /** Whether its value can span several segments of the path. */
  readonly multiSegment: boolean;
  readonly schema: unknown;
}

/** The body of an operation, in the one content type that its tool sends. */
export interface RequestBody {
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly contentType: string;
  readonly schema: unknown;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const;

/** Returns the well-formed operations of a document, in order. */
export function listOperations(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const shared = readList(getOwn(item, 'parameters'));
    return METHODS.flatMap((method) => {
      const declared = getOwn(item, method);
      return isRecord(declared) ? toOperation(document, { method, path, shared, declared }) : [];
    });
  });
}

interface DeclaredOperation {
  readonly method: Method;
  readonly path: string;
  /** The parameters that all operations of the path share. */
  readonly shared: readonly unknown[];
  readonly declared: Readonly<Record<string, unknown>>;
}

function toOperation(
  document: OpenApiDocument,
  { method, path, shared, declared }: DeclaredOperation,
): Operation {
  const parameters = new Map(
    [...shared, ...readList(declared.parameters)]
      .flatMap((given) => toParameters(resolveReference(document, given)))
      .map((one) => [`${one.in} ${one.name}`, one]),
  );
  const id = readText(declared.operationId) ?? `${method} ${path}`;
  return {
    method,
    path,
    tag: readText(readList(declared.tags)[0]) ?? 'other',
    id,
    summary: readText(declared.summary) ?? readText(declared.description)?.split('\n')[0] ?? id,
    parameters: [...parameters.values(), ...listUndeclaredParameters(path, parameters)],
    body: readRequestBody(resolveReference(document, declared.requestBody)),
  };
}

/** Returns a text parameter for each placeholder that the document does not declare. */
const listUndeclaredParameters = (
  path: string,
  known: ReadonlyMap<string, Parameter>,
): readonly Parameter[] =>
  [...new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name))]
    .filter((name) => !known.has(`path ${name}`))
    .map((name) => ({ name, in: 'path', required: true, multiSegment: false, schema: { type: 'string' } }));

function toParameters(given: unknown): readonly Parameter[] {
  const name = readText(getOwn(given, 'name'));
  const place = getOwn(given, 'in');
  if (name === undefined || (place !== 'path' && place !== 'query' && place !== 'header')) return [];
  return [
    {
      name,
      in: place,
      description: readText(getOwn(given, 'description')),
      required: place === 'path' || getOwn(given, 'required') === true,
      multiSegment: getOwn(given, 'x-multi-segment') === true,
      schema: getOwn(given, 'schema') ?? {},
    },
  ];
}

/** Returns the body of an operation. Prefers JSON, and sends other content types as plain text. */
function readRequestBody(given: unknown): RequestBody | undefined {
  const content = getOwn(given, 'content');
  if (!isRecord(content)) return undefined;
  const types = Object.keys(content);
  const json = types.find((type) => /[/+]json\b/.test(type));
  const contentType = json ?? types[0];
  if (contentType === undefined) return undefined;
  return {
    required: getOwn(given, 'required') === true,
    description: readText(getOwn(given, 'description')),
    contentType,
    schema: json === undefined ? { type: 'string' } : (getOwn(content[json], 'schema') ?? {}),
  };
}

/**
 * Resolves a local reference, or returns `undefined` if its target is missing. Returns any other value
 * unchanged.
 */
export function resolveReference(document: object, value: unknown): unknown {
  const reference = getOwn(value, '$ref');
  if (typeof reference !== 'string') return value;
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => getOwn(node, key), document);
}

/** Returns whether a value is a JSON object: not `null`, not an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an own property. Documents are untrusted, so inherited properties must not be read. */
export const getOwn = (node: unknown, key: string): unknown =>
  isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;

const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
