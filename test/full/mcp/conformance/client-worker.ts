/** The Worker that the suite's client scenarios look at: an agent that calls every tool of the scenario's server. */
import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineMcpClient, type McpUser, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { callsEverything } from './calls-everything.ts';
import { providerOf, type Scenario } from './provider-of.ts';

const scenarioOf = ({ context }: McpUser): Scenario => ({
  name: context.get('scenario', v.string()) ?? '',
  server: context.get('server', v.string()) ?? '',
  given: context.get('given', v.string()) ?? '',
});

const server = defineMcpClient({
  name: 'scenario',
  url: (user) => scenarioOf(user).server,
  // The suite's servers are on this machine.
  allowPrivate: true,
  // All scenarios are played at the same time, on a machine that may be busy with other tests.
  connectTimeout: 60_000,
  timeout: 60_000,
  oauth: (caller) => providerOf(scenarioOf(caller)),
});

const holdfast = createHoldfast({
  // All scenarios at the same time, as one caller.
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
