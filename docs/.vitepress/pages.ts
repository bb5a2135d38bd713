/** The pages of the manual in the order in which they are read. The sidebar of the site and `llms.txt` are made of it. */
export interface PageGroup {
  readonly title: string;
  /** Paths without `.md`, from `docs` on. */
  readonly pages: readonly string[];
}

export const PAGES: readonly PageGroup[] = [
  { title: 'Start', pages: ['scripts', 'mounting', 'testing'] },
  { title: 'Concepts', pages: ['guarantees'] },
  {
    title: 'Tools and agents',
    pages: ['tools', 'tool-objects', 'tool-sources', 'agents', 'approvals', 'own-kinds', 'modules'],
  },
  { title: 'Models', pages: ['models', 'compaction', 'files'] },
  {
    title: 'Conversations',
    pages: ['turns', 'answers', 'branches', 'schedules', 'feedback', 'from-code'],
  },
  { title: 'HTTP and clients', pages: ['http', 'client', 'react', 'browsers', 'openapi'] },
  {
    title: 'Protocols',
    pages: [
      'surfaces',
      'ai-sdk-ui',
      'openai',
      'ag-ui',
      'a2a',
      'client-tools',
      'mcp',
      'webhooks',
      'outgoing-webhooks',
    ],
  },
  {
    title: 'Operate',
    pages: ['production', 'index-of-sessions', 'cli', 'doctor', 'cost', 'mistakes'],
  },
];
