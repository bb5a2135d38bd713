/** The secrets of this Worker, which tools read as `call.env`. */
declare namespace Cloudflare {
  interface Env {
    readonly GITHUB_WEBHOOK_SECRET?: string;
    readonly GITHUB_TOKEN?: string;
  }
}
