/** The description of the HTTP surface, ready to check responses by. */
import { dereference, type Schema, validate } from '@cfworker/json-schema';
import { mcpDescription } from '../../../../src/mcp/server/entry.ts';
import { branchesDescription } from '../../../../src/modules/branches/entry.ts';
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
import { type HttpHost, mcpRoutes } from '../../../doors/http.ts';
import {
  APP,
  composeModules,
  createModule,
  joinDescriptions,
  type ModuleUse,
  routeTable,
  toDocument,
  useOf,
} from '../../../doors/openapi.ts';

/** Answers what is wrong with a value. */
export type Check = (value: unknown) => readonly string[];

/** What a route answers with one status. */
export interface DescribedResponse {
  /** Names the problems that it may be. */
  readonly description: string;
  /** What is wrong with a body, by its media type. */
  readonly content: ReadonlyMap<string, Check>;
  /** What is wrong with an event of a stream; any is right unless there is one. */
  readonly event?: Check | undefined;
}

/** In the place of a status: what is answered with all that are not told. */
export const OTHERS = 0;

/** What a path answers, by method and status. */
export interface DescribedPath {
  readonly path: RegExp;
  readonly methods: ReadonlyMap<string, ReadonlyMap<number, DescribedResponse>>;
}

export interface Description {
  readonly paths: readonly DescribedPath[];
  readonly problem: Check;
}

/** What of an app decides what it describes, for whoever checks: the values of names in paths are not looked at. */
export interface DescribedApp {
  /** Its modules: `openApi()` alone unless given. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** The path below which it is. */
  readonly base?: string | undefined;
}

type Described = Readonly<Record<string, unknown>>;

/** An endpoint that says who signs in, without the SDK that serves it. */
const ENDPOINT = {
  serve: () => Promise.reject(new Error('Nothing is served.')),
  authorization: { servers: [] },
  basePath: undefined,
};

const endpoint = useOf(createModule({ name: 'mcp' }));
APP.give(endpoint, { routes: () => mcpRoutes(ENDPOINT) });

const DESCRIPTIONS = {
  ...aiSdkUiDescription,
  ...openAiDescription,
  ...openAiListsDescription,
  ...mcpDescription,
  ...webhookDescription,
  ...feedbackDescription,
  ...retryDescription,
  ...branchesDescription,
  ...indexDescription,
  ...ownerLimitsDescription,
};

/** Answers the description of an app with an MCP endpoint, and with these modules. */
export function descriptionOf({ use = [openApi()] }: DescribedApp): Description {
  // No more of an app is described, and nothing of it is called.
  const app = {
    // It has every agent that its modules name, and an owner for each.
    agents: Object.assign(new Map(), { has: () => true }),
    auth: { owner: () => ({ id: 'any' }) },
    modules: composeModules([...use.filter(({ module }) => module.name !== 'mcp'), endpoint]),
  } as unknown as HttpHost;
  const hasOperators = use.some(({ module }) => module.name === 'operators');
  const descriptions = joinDescriptions([DESCRIPTIONS, ...(hasOperators ? [operatorsDescription] : [])]);
  const document = toDocument(app, routeTable(app), { descriptions });
  const { paths, components } = document as Record<string, Described>;
  const schemas: Record<string, unknown> = { ...Object(components?.schemas) };
  const lookup: Record<string, Schema | boolean> = {};
  const checkOf =
    (name: string): Check =>
    (value) => {
      const schema = lookup[`${BASE.href}#/$defs/${name}`] ?? false;
      // Whether it is right is found out fast; what is wrong is looked for when something is.
      if (validate(value, schema, '2020-12', lookup, true).valid) return [];
      const { errors } = validate(value, schema, '2020-12', lookup, false);
      return errors.slice(-6).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    };
  const toCheck = (schema: unknown): Check => {
    const name = `_${Object.keys(schemas).length}`;
    schemas[name] = schema;
    return checkOf(name);
  };
  const described = Object.entries(paths ?? {}).map(([path, item]) => ({
    path: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: methodsOf(Object(item), { schemas, toCheck }),
  }));
  dereference(closed({ $defs: schemas }), lookup, BASE);
  return { paths: described, problem: checkOf('Problem') };
}

const BASE = new URL('https://described.example/');

/** Schemas are open, so that clients take what later versions add; here, what they do not name is a mistake. */
const closed = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value === 'string') return value.replace(/^#\/components\/schemas\//, '#/$defs/');
    const isOpen = value?.type === 'object' && value.properties && value.additionalProperties === undefined;
    return isOpen ? { ...value, additionalProperties: false } : value;
  });

interface Making {
  readonly schemas: Described;
  readonly toCheck: (schema: unknown) => Check;
}

const methodsOf = (item: Described, making: Making): DescribedPath['methods'] =>
  new Map(
    Object.entries(item).flatMap(([method, operation]) => {
      if (method === 'parameters') return [];
      const responses = Object.entries<Described>(Object(operation).responses);
      const byStatus = responses.map(
        ([status, one]) => [status === 'default' ? OTHERS : Number(status), toResponse(one, making)] as const,
      );
      return [[method.toUpperCase(), new Map(byStatus)] as const];
    }),
  );

function toResponse({ description, content }: Described, { schemas, toCheck }: Making): DescribedResponse {
  const bodies = Object.entries<Described>(Object(content));
  const stream = Object(Object(content)['text/event-stream']?.schema).$ref?.split('/').at(-1);
  const events = Object(schemas[stream]).contentSchema?.items;
  return {
    description: String(description),
    content: new Map(bodies.map(([type, { schema = true }]) => [type, toCheck(schema)])),
    event: events && toCheck(events),
  };
}
