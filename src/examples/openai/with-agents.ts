import { Agent, hostedMcpTool, OpenAIProvider, Runner } from '@openai/agents';

/** Runs the agent `cashier` of the Worker at this URL. The tools run in the Worker. */
export async function run(
  url: string,
  input: string,
  decide: (tool: string) => Promise<boolean>,
): Promise<string> {
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: 'none', useResponses: true });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  // The SDK accepts the Worker's approval requests by this label, and does not call the URL.
  const tools = [hostedMcpTool({ serverLabel: 'holdfast', serverUrl: url })];
  const cashier = new Agent({ name: 'cashier', model: 'cashier', tools });
  let result = await runner.run(cashier, input);
  while (result.interruptions.length > 0) {
    for (const asked of result.interruptions) {
      if (await decide(asked.name ?? '')) result.state.approve(asked);
      else result.state.reject(asked, { message: 'Not today.' });
    }
    result = await runner.run(cashier, result.state);
  }
  return result.finalOutput ?? '';
}
