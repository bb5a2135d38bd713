/** Commands that call a deployment: their options and their error messages. */
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import type { Client } from '../../client/client-session.ts';
import { createClient } from '../../client/create-client.ts';
import { HoldfastError } from '../../client/holdfast-error.ts';
import { createIndexClient, type IndexClient } from '../../client/index-client.ts';
import { createTransport, readJson, type TransportOptions } from '../../client/transport.ts';
import { type Command, type Output, parseDeploymentUrl, UsageError } from '../command.ts';
import { toOneLine } from './terminal.ts';

/** The parsed arguments of a command. */
export interface CommandInput extends Output {
  /** The options with a value, by name. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** The options without a value. */
  readonly flags: Readonly<Record<string, boolean | undefined>>;
  /** The positional argument, if the command has one. */
  readonly session: string | undefined;
  readonly isJson: boolean;
  readonly deployment: Deployment;
}

/** A deployed app with the permissions of the caller. */
export interface Deployment {
  readonly index: IndexClient;
  /** Returns the named agent, or the only one. @throws CannotAsk if there are several. */
  agent(): Promise<string>;
  /** Returns the sessions of an agent: those of the owner in the options, or the caller's. */
  sessions(agent: string): Client;
  /**
   * Resolves if the app has `operators()` and the caller is an operator. Other apps ignore the owner of a
   * request, and would apply the command to a session of the caller.
   *
   * @throws CannotAsk if the app lacks `operators()`; HoldfastError if the caller is not an operator.
   */
  mustAdmitOperators(agent: string): Promise<void>;
  /** Resolves with `true` if a Holdfast app is at this URL. */
  isThere(): Promise<boolean>;
}

/** The command sent no request. The message says why. */
export class CannotAsk extends Error {
  override readonly name = 'CannotAsk';
  readonly code: number;

  constructor(message: string, code = EXIT_FAILED) {
    super(message);
    this.code = code;
  }
}

const NO_OPERATORS_MESSAGE =
  'operators cannot access sessions of this deployment, since its app does not use operators(). See docs/operators.md.';

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_MISUSED = 2;

/** A command without the options that all commands share. */
export interface RemoteCommand {
  readonly name: string;
  readonly summary: string;
  readonly about: string;
  /** `one`: the argument is a session. `maybe`: the argument is optional. */
  readonly session?: 'one' | 'maybe';
  /**
   * Its other options in the order of the help, with their descriptions: `name VALUE`, or `name` for an
   * option without a value.
   */
  readonly options?: Readonly<Record<string, string>>;
  /** The message if the deployment lacks the route. */
  readonly lacking?: string;
  run(asked: CommandInput): Promise<number>;
}

const COMMON_OPTIONS = {
  'url URL': 'the URL of the Worker, with its base path; defaults to the environment variable HOLDFAST_URL',
  'token TOKEN': 'the bearer token; defaults to the environment variable HOLDFAST_TOKEN',
  json: 'prints JSON for scripts',
};

/** The number of retries after a lost connection. It is low because a user is waiting. */
const RETRIES = 2;

export function createRemoteCommand(made: RemoteCommand): Command {
  const options: Readonly<Record<string, string>> = { ...made.options, ...COMMON_OPTIONS };
  const help = formatHelp(made, options);
  return {
    summary: made.summary,
    help,
    async run(args, output) {
      const { values, positionals } = parseOptions(args, options);
      if (positionals.length > (made.session ? 1 : 0))
        throw new UsageError(made.session ? 'name only one session' : 'it accepts only options');
      const [session] = positionals;
      if (made.session === 'one' && !session) throw new UsageError('the session id is missing');
      const texts: Record<string, string | undefined> = {};
      const flags: Record<string, boolean | undefined> = {};
      for (const [name, value] of Object.entries(values)) {
        if (typeof value === 'string') texts[name] = value;
        else if (typeof value === 'boolean') flags[name] = value;
      }
      const token = texts.token ?? env.HOLDFAST_TOKEN;
      // A server can echo the token. Shorter tokens are not secrets and would match other words.
      const hide = (text: string): string =>
        token && token.length >= 8 ? text.replaceAll(token, '***') : text;
      const writeError = (text: string): void => output.err(hide(text));
      const writeOutput = (text: string): void => output.out(hide(text));
      const deployment = createDeployment(texts, token);
      const isJson = flags.json === true;
      try {
        return await made.run({
          ...output,
          out: writeOutput,
          err: writeError,
          texts,
          flags,
          session,
          isJson,
          deployment,
        });
      } catch (failure) {
        if (failure instanceof CannotAsk) {
          writeError(`holdfast ${made.name}: ${toOneLine(failure.message)}`);
          return failure.code;
        }
        if (!(failure instanceof HoldfastError)) throw failure;
        const isLacking = failure.type === 'unknown-route' && (await deployment.isThere());
        const why = isLacking && made.lacking ? made.lacking : describeFailure(failure, token);
        writeError(`holdfast ${made.name}: ${toOneLine(why)}`);
        return EXIT_FAILED;
      }
    },
  };
}

function parseOptions(args: readonly string[], options: Readonly<Record<string, string>>) {
  const known: Record<string, { readonly type: 'string' | 'boolean' }> = {};
  for (const usage of Object.keys(options)) {
    const [name = '', value] = usage.split(' ');
    known[name] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: known });
  } catch (failure) {
    throw new UsageError(toOneLine(failure instanceof Error ? failure.message : failure));
  }
}

function formatHelp(
  { name, about, session }: RemoteCommand,
  options: Readonly<Record<string, string>>,
): string {
  const argument = session === 'one' ? ' SESSION' : session === 'maybe' ? ' [SESSION]' : '';
  const lines = Object.entries(options).map(([usage, does]) => `  --${usage.padEnd(16)} ${does}`);
  return [`Usage: npx holdfast ${name}${argument} --url URL [OPTIONS]`, '', about, '', ...lines].join('\n');
}

function createDeployment(texts: CommandInput['texts'], token: string | undefined): Deployment {
  const { origin, pathname, username, password } = parseDeploymentUrl(texts.url ?? env.HOLDFAST_URL ?? '');
  if (username || password) throw new UsageError('--url must not contain a user name or password');
  if (token && /[^\t\x20-\x7e\x80-\xff]/.test(token.trim()))
    throw new UsageError('--token contains a character that is not allowed in a header');
  const at: TransportOptions = {
    url: origin + pathname,
    token,
    retries: RETRIES,
    // A redirect target would also receive the token.
    fetch: (url, init) => fetch(url, { ...init, redirect: 'manual' }),
  };
  const listAgents = async () =>
    readList(await createTransport(at).ask({ path: '/agents' }, readJson), 'agents');
  return {
    index: createIndexClient(at),
    async agent() {
      if (texts.agent !== undefined) return checkPathName('--agent', texts.agent);
      const names = (await listAgents()).map(({ name }) => String(name));
      const [only] = names;
      if (only === undefined) throw new CannotAsk('this deployment has no agents.');
      if (names.length > 1)
        throw new CannotAsk(
          `this deployment has several agents. Name one with --agent: ${names.join(', ')}.`,
          EXIT_MISUSED,
        );
      return checkPathName('an agent', only);
    },
    sessions: (agent) => createClient({ ...at, agent, owner: texts.owner }),
    async mustAdmitOperators(agent) {
      const path = `/agents/${encodeURIComponent(agent)}/sessions/any?owner=`;
      const ask = createTransport(at).ask({ path }, readJson);
      const refusal = await ask.then(
        () => undefined,
        (failure: unknown) => (failure instanceof HoldfastError ? failure : Promise.reject(failure)),
      );
      if (refusal?.type === 'invalid-query') return;
      if (refusal && refusal.type !== 'unknown-session') throw refusal;
      throw new CannotAsk(NO_OPERATORS_MESSAGE);
    },
    isThere: () =>
      listAgents().then(
        () => true,
        () => false,
      ),
  };
}

/** Returns a name that is safe as a path segment. @throws UsageError if it is not. */
export function checkPathName(what: string, name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new UsageError(`'${name}' is not a valid name for ${what}`);
  return name;
}

/**
 * Returns a list in a response. @throws HoldfastError if it is missing, for example because the server is not
 * a Holdfast Worker.
 */
export function readList(answer: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list: unknown = Object(answer)[name];
  if (Array.isArray(list)) return list.map(Object);
  throw new HoldfastError('bad-response', `The server's response has no '${name}'. Check --url.`);
}

function describeFailure({ type, status, message }: HoldfastError, token: string | undefined): string {
  if (status === 401)
    return token
      ? 'the deployment rejects the token. Check --token and HOLDFAST_TOKEN.'
      : 'the deployment requires a token. Use --token, or set the environment variable HOLDFAST_TOKEN.';
  if (type === 'unknown-route')
    return 'this --url has no such route. Check that it includes the base path of the app.';
  return `${message} (${type})`;
}
