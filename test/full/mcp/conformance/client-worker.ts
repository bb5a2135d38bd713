/** The Worker for the client scenarios of the suite. Its agent calls every tool of the scenario's server. */
import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineMcpClient, type McpUser, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { callsEverything } from './calls-everything.ts';
import { createProvider, type Scenario } from './provider-of.ts';

const getScenario = ({ context }: McpUser): Scenario => ({
  name: context.get('scenario', v.string()) ?? '',
  server: context.get('server', v.string()) ?? '',
  given: context.get('given', v.string()) ?? '',
});

const server = defineMcpClient({
  name: 'scenario',
  url: (user) => getScenario(user).server,
  // The suite's servers run on this machine, so private addresses are allowed.
  allowPrivate: true,
  // All scenarios run in parallel, and the machine can be busy.
  connectTimeout: 60_000,
  timeout: 60_000,
  oauth: (caller) => createProvider(getScenario(caller)),
});

const holdfast = createHoldfast({
  // All scenarios run in parallel as one caller.
  http: { maxStreams: 1_000, bodyContext: ['scenario', 'server', 'given'] },
  agents: [
    defineAgent({
      name: 'caller',
      description: 'Calls every tool that a server has.',
      instructions: 'Call every tool.',
      tools: [mcpToolProvider({ clients: [server] })],
      model: callsEverything,
    }),
  ],
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
