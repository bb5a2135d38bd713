/** This repository's own Worker: the example agents behind the HTTP app. */
import { env } from 'cloudflare:workers';
import { consumeTurns, createHoldfast } from './create-holdfast.ts';
import { defineFiles } from './examples/files/files.ts';
import { defineOrders } from './examples/orders/orders.ts';
import { defineRefunds } from './examples/refunds/refunds.ts';
import { readingRoom } from './examples/researcher/reading-room.ts';
import { researcher } from './examples/researcher/researcher.ts';
import { createShop, paperShop } from './examples/support/shop.ts';
import { defineSupport } from './examples/support/support.ts';
import { createGithub } from './examples/triage/github-at.ts';
import { paperGitHub } from './examples/triage/paper-github.ts';
import { defineTriage } from './examples/triage/triage.ts';
import { triageWebhook } from './examples/triage/triage-webhook.ts';
import { workspace } from './examples/workspace/workspace.ts';
import { openaiCompatible } from './model/openai-compatible/entry.ts';
import { console } from './modules/console/entry.ts';
import { files } from './modules/files/entry.ts';
import { liveText } from './modules/live-text/entry.ts';
import { orOffline } from './offline-model/entry.ts';

interface Vars {
  /** The URL of the services of the examples' shop. If absent, the tools have no real effects. */
  readonly SHOP_URL?: string;
  /** The time in milliseconds that a refund waits for its approval. Defaults to three days. */
  readonly REFUND_EXPIRES_MS?: string;
  /** `https://api.github.com`, or a server like it. If absent, triage works on a fictional issue. */
  readonly GITHUB_API_URL?: string;
  /**
   * A secret: the token of an app's installation, or a fine-grained token, with write access to issues and
   * read access to contents.
   */
  readonly GITHUB_TOKEN?: string;
  /** The URL of `npm run serve-files`. */
  readonly FILES_URL?: string;
}

// Vars of wrangler.toml or of --var, and secrets.
const { SHOP_URL, REFUND_EXPIRES_MS, GITHUB_API_URL, GITHUB_TOKEN, FILES_URL } = env as Vars;
const shop = SHOP_URL ? createShop(SHOP_URL) : paperShop;
const refundExpiryMs = REFUND_EXPIRES_MS === undefined ? undefined : Number(REFUND_EXPIRES_MS);
const github = GITHUB_API_URL ? createGithub(GITHUB_API_URL) : paperGitHub;

const holdfast = createHoldfast({
  agents: [
    defineSupport(shop),
    defineRefunds(shop, { expires: refundExpiryMs }),
    defineOrders(shop),
    defineTriage(github),
    defineFiles({ url: FILES_URL ?? 'http://127.0.0.1:8808/mcp' }),
    researcher,
    workspace,
  ],
  model: orOffline(openaiCompatible()),
  secrets: () => ({ GITHUB_TOKEN }),
  use: [
    ...[triageWebhook, readingRoom, files(), liveText()],
    ...(process.env.NODE_ENV === 'development' ? [console()] : []),
  ],
});

export default { ...holdfast.worker, queue: consumeTurns(holdfast) };
export const { TurnRunner } = holdfast;
export { SessionObject } from '../durable-objects/index.ts';
