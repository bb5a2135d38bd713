import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../../../../src/examples/demo/loopback.ts';
import type { ArrivedRequest, Backend } from './backend.ts';
import type { RecordedRequest } from './provided.ts';

/** A server that forwards requests of tests to a real server, and records them. It listens on loopback. */
export interface Front {
  readonly url: string;
  /** Returns the running processes of the backend. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

/** The state of one run. */
interface Run {
  readonly requests: RecordedRequest[];
  readonly open: Set<ServerResponse>;
  isDead: boolean;
}

/**
 * Serves `/{run}/...` with the backend. Tests also use `GET /{run}/requests` to read the requests of the run,
 * `POST /{run}/cut` to break its connections, and `POST /{run}/kill` to also kill its server and refuse all
 * later requests.
 */
export async function startFront(backend: Backend): Promise<Front> {
  const runs = new Map<string, Run>();
  const { server, url } = await listen((request, response) => {
    answerRequest(request, response).catch((thrown: unknown) => {
      console.error('A server of the tests failed.', thrown);
      response.destroy();
    });
  });

  async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [name, path] = splitUrl(request);
    const run = runs.get(name) ?? { requests: [], open: new Set(), isDead: false };
    runs.set(name, run);
    switch (path) {
      case '/requests':
        return void response.end(JSON.stringify(run.requests));
      case '/kill':
        run.isDead = true;
        backend.kill(name);
        break;
      case '/cut':
        break;
      default:
        return serve(run, { run: name, path, request, response });
    }
    for (const one of run.open) one.destroy();
    response.end();
  }

  async function serve(run: Run, arriving: Omit<ArrivedRequest, 'body'>): Promise<void> {
    const { request, response } = arriving;
    const body = await readText(request);
    const { method = '', url = '', rawHeaders: headers } = request;
    run.requests.push({ method, url, headers, body });
    if (run.isDead) return void response.destroy();
    run.open.add(response);
    response.on('close', () => run.open.delete(response));
    await backend.handle({ ...arriving, body });
  }

  return {
    url,
    pids: () => backend.pids(),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await backend.stop();
    },
  };
}

/** The run is the name of a folder, so only simple words are allowed. */
function splitUrl({ url = '' }: IncomingMessage): [run: string, path: string] {
  const [, run, path] = /^\/([\w-]{1,64})(\/.*)$/.exec(url) ?? [];
  if (run === undefined || path === undefined)
    throw new Error(`${url} must start with the name of a run, such as /run-1/mcp.`);
  return [run, path];
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
