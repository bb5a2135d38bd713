/** The pages of the manual in reading order, from which the site's sidebar and `llms.txt` are generated. */
export interface PageGroup {
  readonly title: string;
  /** Paths below `docs`, without `.md`. */
  readonly pages: readonly string[];
}

export const PAGES: readonly PageGroup[] = [
  { title: 'Start', pages: ['quickstart', 'tutorial', 'scripts', 'mounting', 'testing'] },
  { title: 'Concepts', pages: ['concepts', 'guarantees', 'when-not-to-use-it'] },
  {
    title: 'Tools and agents',
    pages: [
      'tools',
      'kinds',
      'decorators',
      'tool-objects',
      'tool-sources',
      'agents',
      'approvals',
      'own-kinds',
      'modules',
    ],
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
    pages: [
      'auth',
      'deploy',
      'production',
      'index-of-sessions',
      'console',
      'operators',
      'owner-limits',
      'tracing',
      'cli',
      'doctor',
      'cost',
      'mistakes',
    ],
  },
  {
    title: 'Cookbook',
    pages: [
      'approvals-inbox',
      'slack-thread',
      'vite',
      'next-and-tanstack-start',
      'hono',
      'd1-tools',
      'email',
    ].map((page) => `cookbook/${page}`),
  },
  {
    title: 'Coming from',
    pages: ['ai-sdk', 'agents-sdk', 'mastra', 'langgraph', 'embabel', 'spring-ai', 'agentensemble'].map(
      (page) => `coming-from/${page}`,
    ),
  },
];
