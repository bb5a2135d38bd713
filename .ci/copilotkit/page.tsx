import { HttpAgent } from '@ag-ui/client';
import { CopilotChat, CopilotKitProvider, useAgentContext, useFrontendTool } from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';

const { worker = '', token = '', thread = '' } = Object.fromEntries(new URLSearchParams(location.search));

/** The agent of the Worker, which the page asks without a server of its own between them. */
const guide = new HttpAgent({
  url: `${worker}/agents/guide/ag-ui`,
  headers: { authorization: `Bearer ${token}` },
});

function Page() {
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
      <output>{color}</output>
      <CopilotChat agentId="guide" threadId={thread} />
    </main>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <CopilotKitProvider selfManagedAgents={{ guide }} enableInspector={false}>
    <Page />
  </CopilotKitProvider>,
);
