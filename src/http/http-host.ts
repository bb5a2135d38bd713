import type { Env, Host, McpEndpoint } from '../app/host.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Authenticate } from './auth.ts';
import type { ContextHeaders } from './context-headers.ts';
import type { Origins } from './cross-site.ts';

/** What the HTTP app is built on. */
export interface HttpHost extends Host {
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly auth: Authenticate;
  readonly contextHeaders: ContextHeaders;
  readonly origins: Origins;
  /** What a request body may weigh, in bytes. */
  readonly maxBodyBytes: number;
  /** What is served at `/mcp`; absent: nothing. */
  readonly mcp?: McpEndpoint | undefined;
  /** What in the Worker's deployment makes sessions work less well than they could. */
  warnings(env: Env): readonly string[];
}
