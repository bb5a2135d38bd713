import { SESSION_ID } from '../session/read-secrets.ts';
import { type Answer, type BodySchema, byPath, type HttpHost, type Route, type Schema } from './route.ts';

/** What an app has that its paths name. */
type Named = Pick<HttpHost, 'agents' | 'webhooks'>;

const DESCRIPTION =
  'Agents whose tool loops survive. A page whose origin the app names may use all of this, by CORS and without cookies. A page of ' +
  'another site can read nothing, and what else its browser sends is refused with 403 `cross-site`, by `Origin` and ' +
  '`Sec-Fetch-Site`.';

const PROBLEM: BodySchema = {
  name: 'Problem',
  schema: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
    },
  },
};

/** The description of the HTTP surface, OpenAPI 3.1, as a fold over the route table; its paths are below `base`. */
export function openApi(app: Named, routes: readonly Route[], base = ''): Schema {
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version: '1', description: DESCRIPTION },
    ...(base !== '' && { servers: [{ url: base }] }),
    security: [{ token: [] }],
    paths: Object.fromEntries(
      Array.from(byPath(routes), ([path, ways]) => [path, pathItem(app, path, ways)]),
    ),
    components: {
      schemas: components(routes),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** What may stand in a path in place of a name in braces; any text unless said here. */
const IN_PATH: Readonly<Record<string, (app: Named) => Schema>> = {
  agent: ({ agents }) => ({ type: 'string', enum: [...agents.keys()] }),
  session: () => ({ type: 'string', pattern: SESSION_ID.source }),
  file: () => ({ type: 'string', pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of its bytes.' }),
  // An empty list of values would be no schema.
  hook: ({ webhooks }) => ({ type: 'string', ...(webhooks.size > 0 && { enum: [...webhooks.keys()] }) }),
};

function pathItem(app: Named, path: string, routes: readonly Route[]): Schema {
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: IN_PATH[name]?.(app) ?? { type: 'string' },
  }));
  const operations = routes.map((route) => [route.method.toLowerCase(), operation(route)]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

const operation = ({ summary, parameters, body, answers, access }: Route): Schema => ({
  summary,
  ...(parameters && { parameters }),
  ...(body && {
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: schemaOf(body) },
        ...(body.form && { 'multipart/form-data': { schema: body.form } }),
      },
    },
  }),
  responses: { ...Object.fromEntries(Object.entries(answers).map(described)), default: ANY_PROBLEM },
  ...(access === 'open' && { security: [] }),
});

/** What is answered depends on `Accept`, which OpenAPI tells by the content alone. */
const described = ([status, { description, json, streams, isFile }]: [string, Answer]): [string, Schema] => [
  status,
  {
    description,
    ...(isFile && { content: { '*/*': {} } }),
    ...(json && {
      content: {
        'application/json': { schema: schemaOf(json) },
        ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
      },
    }),
  },
];

/** A schema with a name stands among the components, and is referred to. */
const schemaOf = ({ name, schema }: BodySchema): Schema =>
  name === undefined ? schema : { $ref: `#/components/schemas/${name}` };

const ANY_PROBLEM: Schema = {
  description:
    'What went wrong and what to do about it (RFC 9457); `Retry-After` tells when, where that helps',
  content: { 'application/problem+json': { schema: schemaOf(PROBLEM) } },
};

function components(routes: readonly Route[]): Schema {
  const bodies = routes.flatMap(({ body, answers }) => [
    ...(body ? [body] : []),
    ...Object.values(answers).flatMap(({ json }) => json ?? []),
  ]);
  const named = [...bodies, PROBLEM].flatMap(({ name, schema }) =>
    name === undefined ? [] : [[name, schema]],
  );
  return Object.fromEntries(named);
}
