import { defineMcpEndpoint, defineMcpPrompt } from '../../mcp/server/entry.ts';
import { fetchDocument, researcher, searchDocuments } from './researcher.ts';

const research = defineMcpPrompt({
  name: 'research',
  title: 'Research a theme',
  description: 'Has a theme researched in the reading room, with the document of each thing that is said.',
  arguments: [{ name: 'theme', description: 'What it is about, in a few plain words', required: true }],
  messages: ({ theme }) =>
    `Research this theme in the reading room, and name the document of each thing that you say: ${theme}`,
});

/**
 * Serves the reading room to MCP clients at `POST /mcp`: two tools without a session, the librarian as a tool
 * that runs a turn, and a prompt.
 */
export const readingRoom = defineMcpEndpoint({
  name: 'reading-room',
  instructions:
    'A small reading room on the sea and seafaring. Its librarian answers from its documents only.',
  tools: [searchDocuments, fetchDocument],
  agents: [researcher],
  prompts: [research],
});
