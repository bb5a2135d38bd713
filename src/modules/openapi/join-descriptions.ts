import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Schema } from '../../tool/shape.ts';
import { createComponentSchemas } from './components.ts';
import type { RouteAddition, RouteDescription, RouteDescriptions } from './description.ts';
import { createNamedSchemas } from './document.ts';
import { OWN_ROUTES } from './own-routes.ts';

/** The route descriptions of modules, and their additions to other descriptions. */
export type Descriptions = readonly Readonly<Record<string, RouteDescription | RouteAddition>>[];

/**
 * Joins all descriptions with those of every app's own routes, and applies each addition to an earlier
 * description.
 *
 * @throws ConfigurationError if two descriptions are for one route, or have different schemas with the same
 * name.
 */
export function joinDescriptions(all: Descriptions): RouteDescriptions {
  const joined = new Map<string, RouteDescription>();
  const schemas = new Map(Object.entries<Schema>(createComponentSchemas()));
  for (const [key, about] of [OWN_ROUTES, ...all].flatMap((one) => Object.entries(one))) {
    const known = joined.get(key);
    if (typeof about === 'function') {
      if (known) joined.set(key, about(known));
      continue;
    }
    if (known) throw new ConfigurationError(`openApi describes '${key}' twice. Remove one.`);
    joined.set(key, about);
    for (const [name, own] of Object.entries(createNamedSchemas([about]))) {
      const problem = findSchemaProblem(name, own, schemas.get(name) ?? own);
      if (problem)
        throw new ConfigurationError(`openApi: '${key}' has a schema called '${name}'. ${problem}.`);
      schemas.set(name, own);
    }
  }
  return Object.fromEntries(joined);
}

/** Returns the problem of a schema's name, or `undefined`. */
function findSchemaProblem(name: string, own: Schema, other: Schema): string | undefined {
  if (!/^[\w.-]+$/.test(name)) return 'Use only letters, digits and . _ -';
  if (JSON.stringify(other) !== JSON.stringify(own)) return 'Another description uses that name';
  return undefined;
}
