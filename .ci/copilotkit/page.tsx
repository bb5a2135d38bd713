import type { HttpAgent } from '@ag-ui/client';
import { CopilotChat, CopilotKitProvider, useAgentContext, useFrontendTool } from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { useState } from 'react';
import { z } from 'zod';

/** `agent`: such as new HttpAgent({ url: 'https://your.worker/agents/guide/ag-ui', headers: { authorization } }). */
export function App({ agent, thread }: { agent: HttpAgent; thread: string }) {
  return (
    <CopilotKitProvider selfManagedAgents={{ guide: agent }}>
      <Page thread={thread} />
    </CopilotKitProvider>
  );
}

function Page({ thread }: { thread: string }) {
  const [color, setColor] = useState('white');
  useAgentContext({ description: 'The color of the page', value: color });
  useFrontendTool({
    name: 'paint_page',
    description: 'Paints the page in a color.',
    parameters: z.object({ color: z.string().describe('A color of CSS') }),
    handler: async ({ color }) => {
      setColor(color);
      return `The page is ${color} now.`;
    },
  });
  return (
    <main style={{ background: color }}>
      <CopilotChat agentId="guide" threadId={thread} />
    </main>
  );
}
