import {
  type AnyTool,
  type CallContext,
  defineTool,
  error,
  type Json,
  type JsonObject,
} from '../../index.ts';
import { jsonSchema } from '../../modules/json-schema/entry.ts';
import type { Method, OpenApiDocument, Operation, Parameter } from './openapi.ts';
import { getFirstSentence, toToolSchema } from './to-tool-schema.ts';

export interface ApiRequest {
  readonly method: Method;
  /** The path with escaped values. */
  readonly path: string;
  readonly query: Readonly<Record<string, Json>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, with its type in `headers`. Absent if there is none. */
  readonly body?: Json | undefined;
}

/** Sends a request, such as by `fetch` with the credentials in `call.secrets`, or to a fake. */
export type Api = (request: ApiRequest, call: CallContext) => Json | Promise<Json>;

/** The effects of the HTTP methods: whether a request can be repeated. */
const EFFECTS = {
  get: 'read',
  head: 'read',
  options: 'read',
  trace: 'read',
  put: 'idempotent',
  delete: 'idempotent',
  post: 'once',
  patch: 'once',
} as const;

/** A parameter with its name in the model's input. */
interface NamedParameter extends Parameter {
  readonly property: string;
}

/**
 * Makes the tool of one operation. Its input contains the parameters and the body. Each call sends a request
 * to `api`.
 */
export function createOperationTool(
  name: string,
  operation: Operation,
  { document, api }: { readonly document: OpenApiDocument; readonly api: Api },
): AnyTool {
  const { method, path, summary } = operation;
  const parameters = nameParameters(operation.parameters);
  return defineTool({
    name,
    description: `${getFirstSentence(summary)} (${method.toUpperCase()} ${path})`,
    effect: EFFECTS[method],
    input: jsonSchema(createInputSchema(operation, parameters, document)),
    run(input, call) {
      const request = buildRequest(operation, parameters, input as JsonObject); // a model's input is JSON
      return typeof request === 'string' ? error(request) : api(request, call);
    },
  });
}

/**
 * Renames parameters so that every provider accepts them as properties. Adds `in` to a name that is already
 * used.
 */
function nameParameters(parameters: readonly Parameter[]): readonly NamedParameter[] {
  const taken = new Set(['body']);
  return parameters.map((parameter) => {
    const plain = parameter.name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 58);
    const property = taken.has(plain) ? `${parameter.in}_${plain}` : plain;
    taken.add(property);
    return { ...parameter, property };
  });
}

function createInputSchema(
  { body }: Operation,
  parameters: readonly NamedParameter[],
  document: OpenApiDocument,
): JsonObject {
  const properties = parameters.map(({ property, description, schema }): [string, Json] => {
    const written = toToolSchema(schema, document);
    return [
      property,
      description === undefined ? written : { ...written, description: getFirstSentence(description) },
    ];
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ property }) => property);
  if (body) {
    const { description = body.contentType.includes('json') ? undefined : `Sent as ${body.contentType}.` } =
      body;
    const written = toToolSchema(body.schema, document);
    properties.push([
      'body',
      description === undefined ? written : { ...written, description: getFirstSentence(description) },
    ]);
    if (body.required) required.push('body');
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Returns the request for an input, or the problem with the input. */
function buildRequest(
  { method, path, body }: Operation,
  parameters: readonly NamedParameter[],
  input: JsonObject,
): ApiRequest | string {
  const given = parameters.flatMap((parameter) => {
    const value = input[parameter.property];
    return value === undefined ? [] : [{ ...parameter, value }];
  });
  const filterByPlace = (place: Parameter['in']) => given.filter((one) => one.in === place);
  const segments = filterByPlace('path').map((one) => ({
    ...one,
    segment: toSegment(one.value, one.multiSegment),
  }));
  const wrong = segments.find(({ segment }) => segment === undefined);
  if (wrong) return `'${wrong.property}' is a part of a path: it may not be empty, '.' or '..'.`;
  return {
    method,
    path: segments.reduce(
      (filled, { name, segment = '' }) => filled.replaceAll(`{${name}}`, () => segment),
      path,
    ),
    query: Object.fromEntries(filterByPlace('query').map(({ name, value }) => [name, value])),
    headers: {
      ...Object.fromEntries(filterByPlace('header').map(({ name, value }) => [name, toText(value)])),
      ...(body && input.body !== undefined && { 'content-type': body.contentType }),
    },
    ...(input.body !== undefined && { body: input.body }),
  };
}

/** Escapes a value. Returns `undefined` if the value would change which path is requested. */
function toSegment(value: Json, several: boolean): string | undefined {
  const parts = several ? toText(value).split('/') : [toText(value)];
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return undefined;
  return parts.map(encodeURIComponent).join('/');
}

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
