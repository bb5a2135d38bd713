/**
 * The shapes of the kernel's literals. `test/types/kernel-literals.test-d.ts` compares their keys with the
 * types. A feature has its shape beside its type.
 */
import type { InnerShape, LiteralRule, LiteralShape } from './check-literal.ts';
import { toMediaType } from './content.ts';
import { isJsonObject } from './json.ts';
import { SETTINGS_SHAPE } from './model-literals.ts';
import { LOOP_ID_KEY } from './tool-call-context.ts';
import { FOREIGN_INPUT, MODULE_OPTIONS, NAMED_KEYS } from './tool-literals.ts';

/** Returns whether a text is a normalized media type, or a range such as `image/*`. */
function isMediaRange(given: string): boolean {
  const sample = given.endsWith('/*') ? `${given.slice(0, -1)}any` : given;
  return toMediaType(sample) === sample;
}

/** Returns whether an entry maps the name of a header to a context key other than the loop's. */
const isHeaderMapping = ([header, key]: readonly [string, unknown]): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(header) && typeof key === 'string' && key !== LOOP_ID_KEY;

const oneOf = (...words: readonly string[]): LiteralRule => [
  words.map((word) => `'${word}'`).join(' or '),
  (value) => words.some((word) => word === value),
];

const NONBLANK_TEXT: LiteralRule = [
  'a string that is not blank',
  (value) => typeof value === 'string' && value.trim() !== '',
];

/** The options of answers. */
const ANSWER_KEYS = {
  idempotencyKey: 'text',
  background: 'flag',
  signal: 'any',
  onEvent: 'function',
} as const;

/** The shapes, by the function that accepts the literal or by the name of the literal in errors. */
export const LITERAL_SHAPES = {
  defineTool: {
    of: 'defineTool',
    keys: {
      ...NAMED_KEYS,
      input: 'schema',
      run: 'function',
      effect: 'any',
      reconcile: 'function',
      timeout: 'any',
      subrequests: 'any',
      serial: 'any',
      returnDirect: 'flag',
      expose: 'flag',
      metadata: 'any',
      output: 'schema',
    },
    required: ['name', 'description'],
    foreign: {
      ...FOREIGN_INPUT,
      execute: 'run',
      handler: 'run',
      func: 'run',
      fn: 'run',
      invoke: 'run',
      callback: 'run',
      id: 'name',
      needsApproval: 'withConfirmation(tool)',
      manual: 'defineManualTool',
      outputSchema: 'output',
    },
  },
  defineDomainType: {
    of: 'defineDomainType',
    keys: {
      ...{ name: 'text', schema: 'schema', id: 'function', prefix: 'text', tools: 'function' },
      ...{ content: 'function', infoString: 'function' },
    },
    required: ['name', 'schema'],
    foreign: { input: 'schema', type: 'schema', key: 'id' },
  },
  defineModule: {
    of: 'defineModule',
    keys: { name: 'text', nested: 'flag', state: 'object' },
    required: ['name'],
    foreign: { id: 'name', memory: 'state' },
  },
  'the state of a module': {
    of: 'the state of a module',
    keys: {
      initial: 'any',
      version: 'any',
      when: 'any',
      scope: 'any',
      schema: 'any',
      unread: 'any',
      apply: 'function',
      observe: 'function',
    },
    required: [],
    foreign: { reduce: 'apply', reducer: 'apply', fold: 'apply' },
    made: ['name'],
  },
  defineRoute: {
    of: 'defineRoute',
    keys: {
      method: 'text',
      path: 'text',
      isCounted: 'flag',
      isPublic: 'flag',
      streams: 'flag',
      handle: 'function',
      refuse: 'function',
    },
    required: ['method', 'path', 'handle'],
    foreign: { handler: 'handle', url: 'path' },
  },
  'the parts of a module': {
    of: 'the parts of a module',
    keys: {
      ...{ key: 'text', offer: 'any', prepare: 'function', declare: 'function' },
      ...{ call: 'function', run: 'function' },
      ...{ reconcile: 'function', history: 'function', marks: 'function', ask: 'object' },
      ...{
        shortens: 'flag',
        boundsTokens: 'flag',
        refuses: 'function',
        limits: 'function',
        ended: 'function',
      },
      ...{ due: 'function', routes: 'any', scheduled: 'function', files: 'object' },
      ...{ http: 'function', caller: 'function', admit: 'function', watch: 'function' },
    },
    required: [],
  },
  defineAgent: {
    of: 'defineAgent',
    keys: {
      name: 'text',
      description: NONBLANK_TEXT,
      instructions: 'text',
      tools: 'list',
      model: 'model',
      settings: 'object',
      accepts: 'list',
      use: 'list',
      limits: 'object',
      policies: 'object',
      context: 'object',
      output: 'schema',
    },
    required: ['name', 'description', 'instructions'],
    foreign: {
      id: 'name',
      ...MODULE_OPTIONS,
      compaction: 'use: [summarize({ overTokens })]',
      inspectors: 'use: [inspect(...)]',
      retention: 'use: [retain({ days })]',
      steering: 'policies: { steering }',
      loopIds: 'policies: { loopIds }',
      modelTimeout: 'settings: { timeout }',
      timeout: 'settings: { timeout }',
      maxGenerations: 'limits: { maxGenerations }',
      maxScheduled: 'limits: { maxScheduled }',
      transformers: 'use: [defineTransformer({ name, result })]',
      cache: 'use: [promptCache(...)]',
      system: 'instructions',
      systemPrompt: 'instructions',
      prompt: 'instructions',
      llm: 'model',
      maxSteps: 'limits: { iterations }',
      stopWhen: 'limits: { iterations }',
      maxTurns: 'limits: { iterations }',
      maxIterations: 'limits: { iterations }',
      temperature: 'settings: { temperature }',
      toolChoice: 'settings: { toolChoice }',
      maxTokens: 'settings: { maxOutputTokens }',
      maxOutputTokens: 'settings: { maxOutputTokens }',
      providerOptions: 'settings: { providerOptions }',
      agents: 'tools: [defineSubagent({ agent })]',
      subagents: 'tools: [defineSubagent({ agent })]',
      handoffs: 'tools: [defineSubagent({ agent })]',
      clientTools: ['use: [clientTools()]', "import { clientTools } from 'holdfast/client-tools'"],
      mcpServers: [
        "tools: [toolGroup(defineMcpToolGroup({ role, description, clients }), { permissions: ['internet-access'] })]",
        "import { toolGroup } from 'holdfast/tool-groups'",
      ],
      toolGroups: ["tools: [toolGroup('web')]", "import { toolGroup } from 'holdfast/tool-groups'"],
      permissions: [
        "tools: [toolGroup('web', { permissions: ['internet-access'] })]",
        "import { toolGroup } from 'holdfast/tool-groups'",
      ],
      references: [
        'tools: [defineReference({ name, description, notes, tools })]',
        "import { defineReference } from 'holdfast/tool-groups'",
      ],
      outputSchema: 'output',
      outputType: 'output',
      responseFormat: 'output',
    },
    made: ['providers', 'sources', 'strategies', 'asks', 'uses', 'needsApp', 'modelOf', '~types'],
    items: {
      accepts: [
        "a media type in lower case, such as 'image/*' or 'application/pdf'",
        (one) => one instanceof String && isMediaRange(String(one)),
      ],
      use: [
        'the result of a module, such as summarize({ overTokens })',
        ({ module }) => typeof module === 'object',
      ],
    },
  },
  createHoldfast: {
    of: 'createHoldfast',
    keys: {
      agents: 'agents',
      model: 'model',
      auth: 'function',
      use: 'list',
      context: 'any',
      secrets: 'function',
      limits: 'any',
      http: 'object',
    },
    required: ['agents'],
    foreign: {
      agent: 'agents',
      platform: 'limits',
      basePath: 'http: { basePath }',
      contextHeaders: 'http: { contextHeaders }',
      bodyContext: 'http: { bodyContext }',
      maxBodyBytes: 'http: { maxBodyBytes }',
      maxStreams: 'http: { maxStreams }',
      files: 'use: [files({ store })]',
      toolGroups: 'use: [toolGroups([...])]',
      allowPrivateFiles: 'use: [files({ allowPrivateAddresses: true })]',
      origins: 'use: [cors({ origins })]',
      onBehalfOf: 'use: [onBehalfOf(...)]',
      log: 'use: [logTo(...)]',
      retention: 'use: [retain({ days })]',
      location: 'use: [placeSessions({ jurisdiction })]',
      steering: 'policies: { steering } of each agent',
    },
    senseless: {
      tools: 'an app has no tools of its own. List them in defineAgent({ tools })',
      instructions: 'an app has no instructions. Write them in defineAgent({ instructions })',
    },
    items: {
      agents: ['the result of defineAgent', ({ asks }) => Array.isArray(asks)],
      use: ['the result of a module, such as openApi()', ({ module }) => typeof module === 'object'],
    },
  },
  sessionOf: {
    of: 'sessionOf',
    keys: { agent: 'any', session: 'text', principal: 'any', request: 'any' },
    required: ['agent', 'session'],
    foreign: { id: 'session', user: 'principal', caller: 'principal', owner: 'principal' },
  },
  'session.send': {
    of: 'session.send',
    keys: {
      context: 'any',
      loopId: 'any',
      idempotencyKey: 'text',
      whenBusy: 'any',
      pending: 'any',
      delaySeconds: 'any',
      background: 'flag',
      signal: 'any',
      onEvent: 'function',
    },
    required: [],
  },
  'session.decide': { of: 'session.decide', keys: { question: 'any', ...ANSWER_KEYS }, required: [] },
  'session.result': { of: 'session.result', keys: { question: 'any', ...ANSWER_KEYS }, required: [] },
  'session.answer': { of: 'session.answer', keys: ANSWER_KEYS, required: [] },
  'session.stream': {
    of: 'session.stream',
    keys: {
      context: 'any',
      loopId: 'any',
      idempotencyKey: 'text',
      whenBusy: 'any',
      pending: 'any',
      delaySeconds: 'any',
      after: 'any',
      signal: 'any',
    },
    required: [],
  },
  'session.streamAnswers': {
    of: 'session.streamAnswers',
    keys: { idempotencyKey: 'text', after: 'any', signal: 'any' },
    required: [],
  },
  'session.follow': {
    of: 'session.follow',
    keys: { after: 'any', signal: 'any' },
    required: [],
  },
  'session.events': {
    of: 'session.events',
    keys: { after: 'any', turn: 'text', live: 'flag', signal: 'any' },
    required: [],
  },
} as const satisfies Readonly<Record<string, LiteralShape>>;

const ANY: LiteralRule = ['a value', () => true];

const COUNT: LiteralRule = [
  'a whole number of at least 0',
  (value) => Number.isInteger(value) && Number(value) >= 0,
];

const FRACTION: LiteralRule = [
  'a number from 0 to 1',
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
];

/** A day in ms. The maximum timeout, since timers cannot run much longer. */
const DAY_MS = 24 * 60 * 60_000;

const DURATION_MS: LiteralRule = [
  'a number of ms',
  (value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= DAY_MS,
];

const TIMEOUT: LiteralRule = [
  `{ total, silence }, each a whole number of ms from 1 to ${DAY_MS}`,
  (value) =>
    isJsonObject(value) &&
    Object.entries(value).every(
      ([key, ms]) => (key === 'total' || key === 'silence') && (ms === undefined || DURATION_MS[1](ms)),
    ),
];

/** The literals inside those of loops and of apps. */
export const INNER_SHAPES = {
  http: {
    keys: {
      basePath: [
        "a path that starts with '/' and does not end with one, such as '/ai'",
        (value) => /^(\/[A-Za-z0-9_.~@!$&'()+,;=-]+)+$/.test(String(value)),
      ],
      contextHeaders: [
        'header names, each with a context key other than that of the loop, which a client sends as `loopId` of the body',
        (value) => isJsonObject(value) && Object.entries(value).every(isHeaderMapping),
      ],
      bodyContext: [
        'a list of context keys other than that of the loop, which a client sends as `loopId` of the body',
        (value) =>
          Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== LOOP_ID_KEY),
      ],
      maxBodyBytes: COUNT,
      maxStreams: ['a whole number above 0', (value) => Number.isSafeInteger(value) && Number(value) > 0],
    },
    foreign: { origins: 'use: [cors({ origins })]', headers: 'contextHeaders' },
    isJson: true,
  },
  limits: {
    keys: ['iterations', 'tokens', 'maxGenerations', 'maxScheduled'],
    foreign: {
      cost: 'use: [budget({ cost })], with budget from holdfast/limits',
      toolCalls: 'use: [callLimits({ toolCalls })], with callLimits from holdfast/limits',
      callsPerTool: 'use: [callLimits({ callsPerTool })], with callLimits from holdfast/limits',
      maxSteps: 'iterations',
      steps: 'iterations',
      maxTurns: 'iterations',
      turns: 'iterations',
      usd: 'use: [budget({ cost })], with budget from holdfast/limits',
    },
  },
  policies: {
    keys: {
      returnDirect: oneOf('all', 'any'),
      steering: oneOf('requester', 'anyone'),
      loopIds: oneOf('stamped', 'as-sent'),
      unknownTools: ANY,
      blankReplies: ANY,
      isEligible: ANY,
      exceptions: ANY,
      resultCharacters: COUNT,
    },
  },
  unknownTools: {
    keys: {
      mode: oneOf('feedback', 'immediate'),
      retries: COUNT,
      autoExecute: ANY,
      similarity: FRACTION,
      containment: FRACTION,
      suggestions: COUNT,
    },
  },
  blankReplies: { keys: { retries: COUNT, end: oneOf('failed', 'completed') } },
  settings: { ...SETTINGS_SHAPE, keys: { ...SETTINGS_SHAPE.keys, timeout: TIMEOUT } },
} as const satisfies Readonly<Record<string, InnerShape>>;
