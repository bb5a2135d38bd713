/** The entry `holdfast/openapi`: describes an app to generators of clients. */

import { ConfigurationError } from '../../model/configuration-error.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import type { Schema } from '../../tool/shape.ts';
import { APP } from '../../worker/app-seam.ts';
import { defineRoute, type Route } from '../../worker/route.ts';
import { componentSchemas } from './components.ts';
import type { RouteDescription, RouteDescriptions } from './description.ts';
import { schemasOf, toDocument } from './document.ts';
import { OWN_ROUTES } from './own-routes.ts';

export {
  type AnswerSchema,
  type BodySchema,
  headerParameter,
  type ProblemAnswer,
  type Refusal,
  type RouteAnswer,
  type RouteDescription,
  type RouteDescriptions,
  type RouteParameter,
} from './description.ts';

/** The literal that `openApi` takes. */
export interface OpenApiConfig {
  /**
   * The descriptions of routes that other modules bring, such as `openAiDescription` of `holdfast/surfaces/openai`. The document lists a
   * route without a description by its method and its path alone.
   */
  readonly descriptions?: readonly RouteDescriptions[] | undefined;
}

const OPENAPI = createModule({ name: 'openapi' });

/**
 * Describes every route of an app in OpenAPI 3.1, at `GET /openapi.json`.
 *
 * @throws ConfigurationError if two descriptions are for one route, or have a schema of one name that describes different things.
 *
 * @example
 * ```ts
 * const use = [aiSdkUi(), openApi({ descriptions: [aiSdkUiDescription] })]; // of createHoldfast({ agents, use })
 * ```
 */
export function openApi({ descriptions = [] }: OpenApiConfig = {}): ModuleUse {
  const described = checked(descriptions);
  const use = useOf(OPENAPI);
  APP.give(use, { routes: ({ table }) => [describing(table, described)] });
  return use;
}

const describing = (table: readonly Route[], descriptions: RouteDescriptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: 'caller',
    link: 'openapi',
    handle: ({ host, base }) => Response.json(toDocument(host, table, { descriptions, base })),
  });

/** Joins all descriptions. @throws ConfigurationError if two of them say different things by one name. */
function checked(all: readonly RouteDescriptions[]): RouteDescriptions {
  const joined = new Map<string, RouteDescription>();
  const schemas = new Map(Object.entries<Schema>(componentSchemas()));
  for (const [key, about] of [OWN_ROUTES, ...all].flatMap((one) => Object.entries(one))) {
    if (joined.has(key)) throw new ConfigurationError(`openApi has two descriptions of '${key}'.`);
    joined.set(key, about);
    for (const [name, own] of Object.entries(schemasOf([about]))) {
      const problem = schemaProblem(name, own, schemas.get(name) ?? own);
      if (problem)
        throw new ConfigurationError(`openApi: '${key}' has a schema called '${name}': ${problem}.`);
      schemas.set(name, own);
    }
  }
  return Object.fromEntries(joined);
}

/** Returns what is wrong with the name of a schema, or `undefined`. */
function schemaProblem(name: string, own: Schema, other: Schema): string | undefined {
  if (!/^[\w.-]+$/.test(name)) return 'use letters, digits and . _ - alone';
  if (JSON.stringify(other) !== JSON.stringify(own)) return 'another description has one by that name';
  return undefined;
}
