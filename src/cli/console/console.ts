import { once } from 'node:events';
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import { type Command, type Output, parseDeploymentUrl, UsageError } from '../command.ts';
import { loadPage } from './page.ts';
import { createConsoleServer } from './server.ts';

const HELP = `Usage: npx holdfast console --url URL [OPTIONS]

Serves the console for a deployment on this machine, until ctrl-c. The page asks this program, which asks the
deployment with the token. The page never sees the token.

  --url URL          where the Worker is, with its base path; defaults to the environment variable HOLDFAST_URL
  --token TOKEN      the bearer token; defaults to the environment variable HOLDFAST_TOKEN
  --port PORT        the port on this machine; defaults to 4655`;

const PORT = 4655;

/** Serves the console for a deployment. */
export const console: Command = {
  summary: 'serves a page that shows the sessions of a deployment',
  help: HELP,
  async run(args, output) {
    const { url, token, port } = parseArguments(args);
    const { server, stop } = createConsoleServer({ url, token, page: await loadPage() });
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (failure) {
      output.err(
        `holdfast console: port ${port} cannot be used (${Object(failure).code}). Choose another with --port.`,
      );
      return 1;
    }
    announce(server.address(), output);
    await new Promise<void>((resolve) => void process.once('SIGINT', resolve));
    stop();
    return 0;
  },
};

function announce(address: unknown, { out }: Output): void {
  out(`The console is at http://127.0.0.1:${Object(address).port}/console until ctrl-c.`);
}

interface ConsoleArguments {
  readonly url: URL;
  readonly token: string | undefined;
  readonly port: number;
}

function parseArguments(args: readonly string[]): ConsoleArguments {
  const options = { url: { type: 'string' }, token: { type: 'string' }, port: { type: 'string' } } as const;
  let values: { readonly url?: string; readonly token?: string; readonly port?: string };
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (failure) {
    throw new UsageError(failure instanceof Error ? failure.message : String(failure));
  }
  const url = parseDeploymentUrl(values.url ?? env.HOLDFAST_URL ?? '');
  if (url.username || url.password) throw new UsageError('--url must not contain a user name or password');
  const token = values.token ?? env.HOLDFAST_TOKEN;
  if (token && /[^\t\x20-\x7e\x80-\xff]/.test(token.trim()))
    throw new UsageError('--token contains a character that is not allowed in a header');
  const port = Number(values.port ?? PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--port must be a whole number from 0 to 65535');
  return { url, token: token?.trim(), port };
}
