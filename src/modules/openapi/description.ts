/**
 * The descriptions of routes: the data that the route table omits, since serving a route does not need it.
 */

import type { Schema, Shape } from '../../tool/shape.ts';
import type { ProblemType } from '../../worker/problem.ts';
import type { Route } from '../../worker/route.ts';
import type { ComponentName } from './components.ts';
import { toJsonSchema } from './to-json-schema.ts';

/** The description of a route in `/openapi.json`. */
export interface RouteDescription {
  /**
   * The operation id, which generated clients use as a name. Defaults to a name from the method and the path.
   */
  readonly operation?: string | undefined;
  /** Describes what the route does. */
  readonly summary: string;
  readonly parameters?: readonly RouteParameter[] | undefined;
  /** The request body. Absent if the route reads none. */
  readonly body?: BodySchema | undefined;
  /** The responses, by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** The problems of the route, in addition to those of all routes with the same access. */
  readonly problems?: readonly ProblemAnswer[] | undefined;
  /** The error responses of a route with its own error format, by media type. Defaults to any content. */
  readonly refusal?: Refusal | undefined;
  /** The access of the route, if it checks access itself. Defaults to the route's declared access. */
  readonly access?: Route['access'] | undefined;
  /** Describes all other statuses, for routes of another protocol. */
  readonly others?: string | undefined;
}

/** Descriptions by the method and path of their routes, such as `{ 'GET /v1/models': { ... } }`. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

/** Extends the description of another module's route. */
export type RouteAddition = (about: RouteDescription) => RouteDescription;

/** A problem that a route can return, with a status if it is not the usual one. */
export type ProblemAnswer = ProblemType | readonly [status: number, type: ProblemType];

/** The schema of a body. A schema with a name is described once, in the components. */
export interface BodySchema {
  readonly name?: string;
  readonly schema: Schema;
  /** The media type. Defaults to `application/json`. */
  readonly type?: string;
}

/** Returns the schema of a JSON body that is described once, under a name. */
export const createBodySchema = (name: string, shape: Shape): BodySchema => ({
  name,
  schema: toJsonSchema(shape),
});

/** The name of a component, or a schema. */
export type AnswerSchema = ComponentName | BodySchema;

/**
 * Schemas of errors in a protocol's own format, by media type, such as
 * `{ 'text/plain': { schema: { type: 'string' } } }`.
 */
export type Refusal = Readonly<Record<string, AnswerSchema>>;

/** The response for a status of a route. Without JSON, a stream or a file, it has no body. */
export interface RouteAnswer {
  readonly description: string;
  /** The JSON schema of the response. A list means one of these schemas. */
  readonly json?: AnswerSchema | readonly AnswerSchema[];
  /**
   * The component of its server-sent events, or `true` for any events. If the response can also be JSON, only
   * clients that request a stream in `Accept` receive it.
   */
  readonly streams?: ComponentName | true;
  /** `true` if the response is a file of any media type. */
  readonly isFile?: true;
}

/** A query or header parameter in OpenAPI's format. Path parameters are derived from the path. */
export interface RouteParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
}

/** A JSON object whose properties are not described. */
export const ANY_OBJECT_BODY: BodySchema = { schema: { type: 'object', additionalProperties: true } };

/**
 * Describes a header.
 *
 * @example
 * ```ts
 * const user = headerParameter('X-User-Id', 'The user of a chat server.');
 * ```
 */
export const headerParameter = (name: string, description: string): RouteParameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** Describes a parameter of the query. */
export const queryParameter = (name: string, schema: Schema, description: string): RouteParameter => ({
  name,
  in: 'query',
  schema,
  description,
});

/** The header that identifies retries of a message. */
export const IDEMPOTENCY_KEY_PARAMETER = headerParameter(
  'Idempotency-Key',
  'A retry under the same key joins or replays the same turn.',
);
