/** How a route is described: what an entry of the route table does not say, since serving it needs none of it. */

import type { Schema, Shape } from '../../tool/shape.ts';
import type { ProblemType } from '../../worker/problem.ts';
import type { Route } from '../../worker/route.ts';
import type { ComponentName } from './components.ts';
import { toJsonSchema } from './to-json-schema.ts';

/** What `/openapi.json` says of a route. */
export interface RouteDescription {
  /** What generated clients call it. Defaults to a name made of the method and the path. */
  readonly operation?: string | undefined;
  /** Says what the route does. */
  readonly summary: string;
  readonly parameters?: readonly RouteParameter[] | undefined;
  /** Absent: a body is not read. */
  readonly body?: BodySchema | undefined;
  /** By status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** The problems of the route, beside those that every route of its access has. */
  readonly problems?: readonly ProblemAnswer[] | undefined;
  /** The responses of a route that answers problems in words of its own, by media type. Defaults to any content. */
  readonly refusal?: Refusal | undefined;
  /** Who may use the route, where it finds that out by itself. Defaults to the access of the route. */
  readonly access?: Route['access'] | undefined;
  /** Describes all other statuses, which a protocol of its own may have. */
  readonly others?: string | undefined;
}

/** Descriptions by the method and the path of their routes: `{ 'GET /v1/models': { ... } }`. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

/** Returns the description of a route that another module brings, with what this one adds. */
export type RouteAddition = (about: RouteDescription) => RouteDescription;

/** A problem that a route may answer; with a status if that is not its usual one. */
export type ProblemAnswer = ProblemType | readonly [status: number, type: ProblemType];

/** What is in a body. One that has a name is described once, among the components. */
export interface BodySchema {
  readonly name?: string;
  readonly schema: Schema;
  /** Its media type. Defaults to `application/json`. */
  readonly type?: string;
}

/** Returns the JSON of a body, or of an answer, that is described once by a name. */
export const bodyOf = (name: string, shape: Shape): BodySchema => ({ name, schema: toJsonSchema(shape) });

/** A component of the description by its name, or a schema that a description brings. */
export type AnswerSchema = ComponentName | BodySchema;

/** Schemas of problems in the words of a protocol, by their media types: `{ 'text/plain': { schema: { type: 'string' } } }`. */
export type Refusal = Readonly<Record<string, AnswerSchema>>;

/** What a status of a route says; without JSON, a stream or a file, it has no body. */
export interface RouteAnswer {
  readonly description: string;
  /** One of these, if there are several. */
  readonly json?: AnswerSchema | readonly AnswerSchema[];
  /** Server-sent events, of this kind or of any; if there is JSON too, for a client whose `Accept` asks for them. */
  readonly streams?: ComponentName | true;
  /** The answer is a file of any media type. */
  readonly isFile?: true;
}

/** A parameter of the query or of the headers, as OpenAPI writes it. Those of the path are read off it. */
export interface RouteParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
}

/** Some JSON object, whose properties are not described. */
export const ANY_OBJECT: BodySchema = { schema: { type: 'object', additionalProperties: true } };

/** Describes a header. */
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

/** The header under which a message is sent again. */
export const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A retry under the same key joins or replays the same turn.',
);
