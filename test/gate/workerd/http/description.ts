/** The description of the HTTP surface, compiled into checks of responses. */
import { dereference, type Schema, validate } from '@cfworker/json-schema';
import { mcpDescription } from '../../../../src/mcp/server/entry.ts';
import { branchesDescription } from '../../../../src/modules/branches/entry.ts';
import { consoleDescription } from '../../../../src/modules/console/entry.ts';
import { feedbackDescription } from '../../../../src/modules/feedback/entry.ts';
import { indexDescription } from '../../../../src/modules/index/entry.ts';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { operatorsDescription } from '../../../../src/modules/operators/entry.ts';
import { ownerLimitsDescription } from '../../../../src/modules/owner-limits/entry.ts';
import { retryDescription } from '../../../../src/modules/retry/entry.ts';
import { webhookDescription } from '../../../../src/modules/webhooks/entry.ts';
import { aiSdkUiDescription } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAiDescription } from '../../../../src/surfaces/openai/entry.ts';
import { openAiListsDescription } from '../../../../src/surfaces/openai/lists/entry.ts';
import { createMcpRoutes, type HttpHost } from '../../../doors/http.ts';
import {
  APP,
  composeModules,
  createModule,
  createRouteTable,
  createUse,
  joinDescriptions,
  type ModuleUse,
  toDocument,
} from '../../../doors/openapi.ts';

/** Returns the problems of a value. */
export type ValueCheck = (value: unknown) => readonly string[];

/** A route's described response with one status. */
export interface DescribedResponse {
  /** Lists the possible problem types. */
  readonly description: string;
  /** The checks for the body, by media type. */
  readonly content: ReadonlyMap<string, ValueCheck>;
  /** The check for each event of a stream. Defaults to accepting every event. */
  readonly event?: ValueCheck | undefined;
}

/** The status under which all undescribed responses are listed. */
export const DEFAULT_STATUS = 0;

/** The described responses of a path, by method and status. */
export interface DescribedPath {
  readonly path: RegExp;
  readonly methods: ReadonlyMap<string, ReadonlyMap<number, DescribedResponse>>;
}

export interface Description {
  readonly paths: readonly DescribedPath[];
  readonly problem: ValueCheck;
}

/** The parts of an app that determine its description. Values of path parameters are not checked. */
export interface DescribedApp {
  /** The modules of the app. Defaults to `openApi()` alone. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** The path at which the app is mounted. */
  readonly base?: string | undefined;
}

type JsonDescription = Readonly<Record<string, unknown>>;

/** An endpoint with authorization metadata, without the SDK that serves it. */
const ENDPOINT = {
  serve: () => Promise.reject(new Error('This endpoint does not serve requests.')),
  authorization: { servers: [] },
  basePath: undefined,
};

const endpoint = createUse(createModule({ name: 'mcp' }));
APP.give(endpoint, { routes: () => createMcpRoutes(ENDPOINT) });

const DESCRIPTIONS = {
  ...aiSdkUiDescription,
  ...openAiDescription,
  ...openAiListsDescription,
  ...mcpDescription,
  ...webhookDescription,
  ...consoleDescription,
  ...feedbackDescription,
  ...retryDescription,
  ...branchesDescription,
  ...indexDescription,
  ...ownerLimitsDescription,
};

/** Returns the description of an app with an MCP endpoint, and with these modules. */
export function createDescription({ use = [openApi()] }: DescribedApp): Description {
  // The description uses only these parts of an app, and calls no part.
  const app = {
    // Has every agent that its modules name, with an owner for each.
    agents: Object.assign(new Map(), { has: () => true }),
    auth: { owner: () => ({ id: 'any' }) },
    modules: composeModules([...use.filter(({ module }) => module.name !== 'mcp'), endpoint]),
  } as unknown as HttpHost;
  const hasOperators = use.some(({ module }) => module.name === 'operators');
  const descriptions = joinDescriptions([DESCRIPTIONS, ...(hasOperators ? [operatorsDescription] : [])]);
  const document = toDocument(app, createRouteTable(app), { descriptions });
  const { paths, components } = document as Record<string, JsonDescription>;
  const schemas: Record<string, unknown> = { ...Object(components?.schemas) };
  const lookup: Record<string, Schema | boolean> = {};
  const createValueCheck =
    (name: string): ValueCheck =>
    (value) => {
      const schema = lookup[`${BASE.href}#/$defs/${name}`] ?? false;
      // The fast check returns only a verdict. If it fails, the slower one finds the problems.
      if (validate(value, schema, '2020-12', lookup, true).valid) return [];
      const { errors } = validate(value, schema, '2020-12', lookup, false);
      return errors.slice(-6).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    };
  const toCheck = (schema: unknown): ValueCheck => {
    const name = `_${Object.keys(schemas).length}`;
    schemas[name] = schema;
    return createValueCheck(name);
  };
  const described = Object.entries(paths ?? {}).map(([path, item]) => ({
    path: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: collectMethods(Object(item), { schemas, toCheck }),
  }));
  dereference(closeSchema({ $defs: schemas }), lookup, BASE);
  return { paths: described, problem: createValueCheck('Problem') };
}

const BASE = new URL('https://described.example/');

/**
 * Schemas are open so that clients accept additions in later versions. Here, unknown properties are errors.
 */
const closeSchema = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value === 'string') return value.replace(/^#\/components\/schemas\//, '#/$defs/');
    const isOpen = value?.type === 'object' && value.properties && value.additionalProperties === undefined;
    return isOpen ? { ...value, additionalProperties: false } : value;
  });

interface DescriptionContext {
  readonly schemas: JsonDescription;
  readonly toCheck: (schema: unknown) => ValueCheck;
}

const collectMethods = (item: JsonDescription, making: DescriptionContext): DescribedPath['methods'] =>
  new Map(
    Object.entries(item).flatMap(([method, operation]) => {
      if (method === 'parameters') return [];
      const responses = Object.entries<JsonDescription>(Object(operation).responses);
      const byStatus = responses.map(
        ([status, one]) =>
          [status === 'default' ? DEFAULT_STATUS : Number(status), toResponse(one, making)] as const,
      );
      return [[method.toUpperCase(), new Map(byStatus)] as const];
    }),
  );

function toResponse(
  { description, content }: JsonDescription,
  { schemas, toCheck }: DescriptionContext,
): DescribedResponse {
  const bodies = Object.entries<JsonDescription>(Object(content));
  const stream = Object(Object(content)['text/event-stream']?.schema).$ref?.split('/').at(-1);
  const events = Object(schemas[stream]).contentSchema?.items;
  return {
    description: String(description),
    content: new Map(bodies.map(([type, { schema = true }]) => [type, toCheck(schema)])),
    event: events && toCheck(events),
  };
}
