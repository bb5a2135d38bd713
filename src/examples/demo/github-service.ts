import type { IncomingMessage, ServerResponse } from 'node:http';
import { fakeGitHub } from '../triage/fake-github.ts';
import type { Execution } from './counted-effects.ts';
import { DEMO_TOKEN, seedRepository, serviceOf } from './github-world.ts';

/** What changes on GitHub go through before they are answered. */
export interface GithubHooks {
  readonly append: (execution: Execution) => void;
  readonly pass: (service: string) => Promise<void>;
}

/** Answers as GitHub does, at the paths that are left of a request's below its prefix. */
export function githubService({ append, pass }: GithubHooks) {
  const github = fakeGitHub({
    token: DEMO_TOKEN,
    repositories: [seedRepository],
    async changed(change) {
      const service = serviceOf(change);
      // GitHub is told of no call: what it can know of one is the key in the text.
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
