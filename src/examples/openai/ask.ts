import type OpenAI from 'openai';

/** Sends a question, prints the answer as it arrives, and lets `decide` approve calls. */
export async function ask(
  client: OpenAI,
  input: string,
  { show, decide }: { show: (text: string) => void; decide: (question: string) => Promise<boolean> },
): Promise<string> {
  let next: string | OpenAI.Responses.ResponseInput = input;
  for (;;) {
    const response: OpenAI.Responses.Response = await streamResponse(client, next, show);
    const asked = response.output.filter((item) => item.type === 'mcp_approval_request');
    if (asked.length === 0) return response.output_text;
    // A question id identifies its session, so the request needs no other id.
    next = await Promise.all(
      asked.map(async ({ id, name, arguments: given }) => ({
        type: 'mcp_approval_response' as const,
        approval_request_id: id,
        approve: await decide(`${name} ${given}`),
      })),
    );
  }
}

function streamResponse(
  client: OpenAI,
  input: string | OpenAI.Responses.ResponseInput,
  show: (text: string) => void,
) {
  const stream = client.responses.stream({ model: 'cashier', input });
  stream.on('response.output_text.delta', ({ delta }) => show(delta));
  return stream.finalResponse();
}
