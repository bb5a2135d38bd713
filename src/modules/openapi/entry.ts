/** The entry `holdfast/openapi`, which describes an app to client generators. */

import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { defineRoute, type Route } from '../../worker/route.ts';
import type { RouteDescriptions } from './description.ts';
import { toDocument } from './document.ts';
import { type Descriptions, joinDescriptions } from './join-descriptions.ts';

export {
  type AnswerSchema,
  type BodySchema,
  headerParameter,
  type ProblemAnswer,
  type Refusal,
  type RouteAddition,
  type RouteAnswer,
  type RouteDescription,
  type RouteDescriptions,
  type RouteParameter,
} from './description.ts';

/** The configuration of `openApi`. */
export interface OpenApiConfig {
  /**
   * The descriptions of routes from other modules, such as `openAiDescription` from `holdfast/surfaces/openai`.
   * Without a description, the document lists only a route's method and path. An addition, such as
   * `operatorsDescription` from `holdfast/operators`, adds parameters to the description of a route.
   */
  readonly descriptions?: Descriptions | undefined;
}

const OPENAPI_MODULE = createModule({ name: 'openapi' });

/**
 * Serves the OpenAPI 3.1 description of every route of an app at `GET /openapi.json`.
 *
 * @throws ConfigurationError if two descriptions are for one route, or have different schemas with the same
 * name.
 *
 * @example
 * ```ts
 * const use = [aiSdkUi(), openApi({ descriptions: [aiSdkUiDescription] })]; // of createHoldfast({ agents, use })
 * ```
 */
export function openApi({ descriptions = [] }: OpenApiConfig = {}): ModuleUse {
  const described = joinDescriptions(descriptions);
  const use = createUse(OPENAPI_MODULE);
  APP.give(use, { routes: ({ table }) => [createDocumentRoute(table, described)] });
  return use;
}

const createDocumentRoute = (table: readonly Route[], descriptions: RouteDescriptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: 'caller',
    link: 'openapi',
    handle: ({ host, base }) => Response.json(toDocument(host, table, { descriptions, base })),
  });
