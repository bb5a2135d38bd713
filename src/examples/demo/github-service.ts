import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFakeGitHub } from '../triage/fake-github.ts';
import type { Execution } from './counted-effects.ts';
import { DEMO_TOKEN, getServiceName, seedRepository } from './github-world.ts';

/** Hooks for changes on GitHub, which run before the response. */
export interface GithubHooks {
  readonly append: (execution: Execution) => void;
  readonly pass: (service: string) => Promise<void>;
}

/** Responds like GitHub, at paths below a prefix. */
export function createGithubService({ append, pass }: GithubHooks) {
  const github = createFakeGitHub({
    token: DEMO_TOKEN,
    repositories: [seedRepository],
    async changed(change) {
      const service = getServiceName(change);
      // GitHub does not receive the call's id, only the key in the text.
      const key = /<!-- holdfast (?<key>\w+) -->/.exec(change.text)?.groups?.key ?? '';
      append({ service, call: '', key, what: change.issue });
      await pass(service);
    },
  });
  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const answer = await github.handle(await toRequest(request, path));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  };
}

async function toRequest(request: IncomingMessage, path: string): Promise<Request> {
  const { method = 'GET' } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
  return new Request(new URL(path, 'https://api.github.com'), { method, headers, ...(body && { body }) });
}
