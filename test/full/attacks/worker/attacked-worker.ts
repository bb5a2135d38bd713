/**
 * The attacked Worker. It contains several apps with the same agents, and the main app has two tenants. The
 * header `x-door` selects the app. Only the first app has a custom `auth`.
 */

import {
  createHoldfast,
  type Env,
  type Holdfast,
  type HoldfastConfig,
} from '../../../../src/create-holdfast.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/server/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { cors, onBehalfOf, rateLimit } from '../../../../src/modules/http/entry.ts';
import { sessionIndex } from '../../../../src/modules/index/entry.ts';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { operators } from '../../../../src/modules/operators/entry.ts';
import { openAi, openAiDescription } from '../../../../src/surfaces/openai/entry.ts';
import { agents } from './agents.ts';
import { hooks } from './hooks.ts';
import { carelessAgents, misplacedHooks, misplacedOutgoing, misplacedToken } from './misplaced.ts';
import { peers } from './peers.ts';
import { hasHole, settings } from './settings.ts';
import { leakTool, pay, records } from './tools.ts';
import { authenticateChatCaller, authenticateTenant } from './who.ts';

const model = openaiCompatible({
  baseURL: settings.MODEL_URL,
  apiKey: settings.MODEL_KEY,
  model: 'puppet',
  retries: 0,
  media: {
    message: { data: ['image/png', 'image/svg+xml', 'application/pdf'], url: [] },
    result: { data: [], url: [] },
  },
});

const endpoint = defineMcpEndpoint({
  tools: [records, pay, leakTool, requireApproval({ ...pay, name: 'guarded' }, 'Pay?')],
  agents: ['clerk', 'plain'],
});

const fileModule = files();
const liveModule = liveText();
const index = sessionIndex();
const operatorModule = operators();
const pages = cors({ origins: ['https://app.example'] });

const app: HoldfastConfig = {
  agents: [...agents, ...carelessAgents],
  model,
  http: {
    maxBodyBytes: 200_000,
    bodyContext: hasHole('context-tenant') ? ['locale', 'tenant'] : ['locale'],
    contextHeaders: {
      ...(!hasHole('context-tenant') && { 'x-gateway-tenant': 'tenant' }),
      'x-scenario': 'scenario',
      'x-address': 'address',
    },
  },
  context: (_, { principal }) => ({ tenant: principal.tenant ?? principal.id, plan: 'basic' }),
  secrets: () => ({ API_KEY: settings.API_KEY, REMOTE_TOKEN: settings.REMOTE_TOKEN }),
  use: [openApi(), endpoint, fileModule, liveModule, pages, operatorModule],
};

const use = [...(app.use ?? []), index, ...hooks, ...misplacedHooks, ...misplacedOutgoing];
const main = createHoldfast({ ...app, auth: authenticateTenant, use });
const limited = createHoldfast({ ...app, auth: authenticateTenant, use: [...use, rateLimit()] });
peers.app = main;
const builtIn = createHoldfast({ ...app, use: [openApi(), fileModule, pages] });
/** An app with the chat completions API. For some of its callers, one token is used by several persons. */
const chat = createHoldfast({
  ...app,
  auth: authenticateChatCaller,
  use: [
    openAi(),
    openApi({ descriptions: [openAiDescription] }),
    endpoint,
    fileModule,
    pages,
    index,
    operatorModule,
    onBehalfOf(({ headers }) => headers.get('x-user-id')),
  ],
});

/** An app, and its additions to the shared environment. */
interface AttackedApp {
  readonly holdfast: Holdfast;
  readonly env: Env;
}

const closedEnv = { HOLDFAST_AUTH: '', HOLDFAST_TOKEN: '' };

/**
 * Returns a rate limiter with the interface of the platform's binding. It allows three requests for each key
 * and never resets.
 */
function createThreeRequestLimiter(): {
  limit(asked: { readonly key: string }): Promise<{ readonly success: boolean }>;
} {
  const counts = new Map<string, number>();
  return {
    async limit({ key }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= 3 };
    },
  };
}

const DOORS: ReadonlyMap<string, AttackedApp> = new Map([
  ['main', { holdfast: main, env: {} }],
  ['local', { holdfast: builtIn, env: { ...closedEnv, HOLDFAST_AUTH: 'localhost' } }],
  [
    'token',
    {
      holdfast: builtIn,
      env: { ...closedEnv, HOLDFAST_AUTH: 'localhost', HOLDFAST_TOKEN: settings.API_KEY },
    },
  ],
  [
    'careless',
    {
      holdfast: createHoldfast({ ...app, use: [openApi(), fileModule, pages], auth: misplacedToken }),
      env: {},
    },
  ],
  ['chat', { holdfast: chat, env: {} }],
  ['shut', { holdfast: builtIn, env: closedEnv }],
  ['limited', { holdfast: limited, env: { RATE_LIMIT: createThreeRequestLimiter() } }],
]);

/** One environment object for each app, because an app caches values by environment. */
const environments = new Map<string, Env>();

function createEnvironment(name: string, door: AttackedApp, env: Env): Env {
  const known = environments.get(name) ?? { ...env, ...door.env };
  environments.set(name, known);
  return known;
}

export default {
  ...main.worker,
  fetch(request, env, ctx) {
    const mark = request.headers.get('x-mark');
    if (mark !== null) console.log(mark); // the runner waits for the mark, so that it has all earlier output
    const name = request.headers.get('x-door') ?? 'main';
    const door = DOORS.get(name);
    if (door === undefined) return new Response('There is no such door.', { status: 599 });
    return door.holdfast.worker.fetch(request, createEnvironment(name, door, env), ctx);
  },
} satisfies ExportedHandler<Env>;
export const { TurnRunner } = main;
export { SessionObject } from '../../../../durable-objects/index.ts';
export { IndexObject } from '../../../../src/modules/index/entry.ts';
