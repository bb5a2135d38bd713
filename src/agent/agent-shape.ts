import { modelProblem } from '../loop/loop-settings.ts';
import { type LiteralShape, literalFault, nameIn, shown } from '../tool/check-literal.ts';
import { AgentDefinitionError } from './check-settings.ts';

/** @throws AgentDefinitionError when a key of the literal is not known, one is missing or of another kind, or the model is none. */
export function checkAgentLiteral(config: { readonly model?: unknown }, shape: LiteralShape): void {
  const fault = literalFault(config, shape);
  if (fault) throw new AgentDefinitionError(nameIn(config), fault);
  const problem = modelProblem(config.model);
  if (problem !== undefined) throw new AgentDefinitionError(nameIn(config), { field: 'model', problem });
  for (const [key, [use, fits]] of Object.entries(ITEMS)) {
    const listed: readonly unknown[] = Reflect.get(config, key) ?? [];
    const at = listed.findIndex((one) => !fits(Object(one)));
    if (at < 0) continue;
    const field = `${key}[${at}]`;
    throw new AgentDefinitionError(nameIn(config), {
      field,
      problem: `has ${shown(listed[at])} at ${field}: use ${use}`,
    });
  }
}

/** What stands in the lists of an agent beside its tools, which are checked as those of all lists. */
const ITEMS: Readonly<Record<string, readonly [use: string, fits: (one: Fields) => boolean]>> = {
  toolGroups: [
    'a role, { role }, or what defineToolGroup makes',
    (one) => one instanceof String || typeof one.role === 'string',
  ],
  strategies: ['what defineInjectionStrategy makes', ({ offer }) => typeof offer === 'function'],
  references: ['{ name, description, notes, tools }', ({ tools }) => Array.isArray(tools)],
  inspectors: ['an object with functions, as loggingInspector() makes it', (one) => typeof one === 'object'],
  transformers: [
    '{ name } with messages, result or reply',
    (one) => typeof one === 'object' && typeof one.name === 'string',
  ],
};

type Fields = Readonly<Record<string, unknown>>;

/** What the literal of an agent holds, and what other libraries call it. */
export const AGENT_SHAPE = {
  of: 'defineAgent',
  keys: {
    name: 'text',
    description: 'text',
    instructions: 'text',
    tools: 'list',
    toolGroups: 'list',
    permissions: 'list',
    chaining: 'any',
    strategies: 'list',
    references: 'list',
    model: 'any',
    settings: 'object',
    cache: 'any',
    accepts: 'any',
    modelTimeout: 'object',
    limits: 'object',
    policies: 'object',
    inspectors: 'list',
    transformers: 'list',
    context: 'object',
    loopIds: 'any',
    maxGenerations: 'any',
    retention: 'any',
    compaction: 'any',
    output: 'schema',
  },
  required: ['name', 'description', 'instructions'],
  foreign: {
    id: 'name',
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
    mcpServers: 'toolGroups: [defineMcpToolGroup({ role, description, clients })]',
    outputSchema: 'output',
    outputType: 'output',
    responseFormat: 'output',
  },
  made: ['providers', 'sources', 'needsApp', 'modelOf', '~types'],
} as const satisfies LiteralShape;
