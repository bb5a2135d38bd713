/** Checks vars and secrets. */
import { type Check, createConfigEdit, getOwnPath, isFileBundled, isStored, listVars } from './check.ts';
import type { Edit, Problem } from './problem.ts';
import type { Project } from './project.ts';

/** The minimums of vars. With a smaller value, every request to `holdfast/worker` fails. */
const MIN_VALUES = {
  LEASE_MS: 100,
  SESSION_BYTES: 17_000_000,
  SUBREQUESTS: 20,
  INTERNAL_SUBREQUESTS: 20,
  WALL_MS: 1000,
};

/** Returns whether a name is a secret's, by the same rule as Holdfast's log. */
const isSecretName = (name: string): boolean => /(_KEY|_TOKEN|_SECRET|_PASSWORD)$/.test(name);

export const checkSecrets: Check = (project) =>
  listVars(project)
    .filter(([name, value]) => isSecretName(name) && value.trim() !== '')
    .map(([name]) => ({
      id: 'secret-in-vars',
      level: 'error',
      what: `${name} is in [vars].`,
      why: 'Anyone with access to the repository or the dashboard can read it.',
      fix: `Remove it, and choose a new value, since others may know this one: wrangler secret put ${name}, and .dev.vars for your own machine.`,
    }));

export const checkLocalAuth: Check = (project) =>
  listVars(project)
    .filter(([name]) => name === 'HOLDFAST_AUTH')
    .map(([name, value]) => ({
      id: 'local-auth-deployed',
      level: 'error',
      what: 'HOLDFAST_AUTH is in [vars].',
      why: 'Vars are deployed: a bundle made for development would accept requests without a token.',
      fix: `Move it to ${project.localFile}, which no deployment reads.`,
      edits: [
        { type: 'config', edit: { op: 'remove', path: getOwnPath(project, 'vars', name) } },
        ...(value === 'localhost' && !project.devVars?.values.has(name)
          ? [{ type: 'dev-var', file: project.localFile, name, value } as const]
          : []),
      ],
    }));

export const checkDevVars: Check = ({ devVars: vars }) =>
  vars && !vars.isIgnored
    ? [
        {
          id: 'dev-vars-not-ignored',
          level: 'error',
          what: `Git does not ignore ${vars.file}.`,
          why: 'It holds secrets, which the next commit would publish.',
          fix: 'Add the lines .dev.vars* and !.dev.vars.example to .gitignore. If it is committed already, git rm --cached it and replace its secrets.',
          edits: [{ type: 'append', file: '.gitignore', lines: '.dev.vars*\n!.dev.vars.example\n' }],
        },
      ]
    : [];

/** Returns whether a token is easy to guess. `openssl rand -hex 32` makes a good one of 64 characters. */
const isWeak = (token: string): boolean => token.length < 24 || new Set(token).size < 8;

export const checkToken: Check = (project) => {
  const given = project.devVars?.values.get('HOLDFAST_TOKEN');
  const key = project.devVars?.values.get('HOLDFAST_FILES_KEY');
  const file = project.devVars?.file;
  return [
    ...(given !== undefined && isWeak(given)
      ? [
          {
            id: 'weak-token',
            level: 'warning' as const,
            what: `HOLDFAST_TOKEN in ${file} can be guessed.`,
            why: 'Anyone who has it can read and write every session.',
            fix: 'Generate one with openssl rand -hex 32, and another one for the deployment.',
          },
        ]
      : []),
    ...(given !== undefined && given !== '' && given === key
      ? [
          {
            id: 'files-key',
            level: 'error' as const,
            what: `HOLDFAST_FILES_KEY in ${file} is the same as HOLDFAST_TOKEN.`,
            why: 'Clients know the token, and could sign the URL of any file.',
            fix: 'Generate a separate key with openssl rand -hex 32.',
          },
        ]
      : []),
  ];
};

export const checkBaseUrl: Check = (project) => {
  const { devVars: file } = project;
  const local = file?.values.get('OPENAI_BASE_URL');
  const deployed = listVars(project).find(([name]) => name === 'OPENAI_BASE_URL')?.[1];
  const places = [
    ...(deployed ? [{ value: deployed, where: '[vars]' }] : []),
    ...(local && file ? [{ value: local, where: file.file }] : []),
  ];
  return places.flatMap(({ value, where }): Problem[] => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) {
      return [
        {
          id: 'base-url',
          level: 'error',
          what: `OPENAI_BASE_URL in ${where} is not an http URL.`,
          why: 'Every turn fails as misconfigured.',
          fix: 'Set the full URL, such as https://api.openai.com/v1.',
        },
      ];
    }
    // Some providers have a path of their own, such as /api/v1 or /v1beta/openai.
    if (url.pathname !== '/' && url.pathname !== '') return [];
    const corrected = `${url.origin}/v1`;
    const edit: Edit =
      where === '[vars]'
        ? createConfigEdit(getOwnPath(project, 'vars', 'OPENAI_BASE_URL'), corrected)
        : { type: 'dev-var', file: where, name: 'OPENAI_BASE_URL', value: corrected };
    return [
      {
        id: 'base-url-without-v1',
        level: 'error',
        what: `OPENAI_BASE_URL in ${where} has no path.`,
        why: 'Requests go to its path plus /chat/completions, and nearly every server has this below /v1.',
        fix: 'End it with /v1.',
        // A URL with credentials or a query needs a manual fix.
        ...(url.username === '' && url.search === '' && { edits: [edit] }),
      },
    ];
  });
};

export const checkVars: Check = (project) => {
  const given = new Map(listVars(project));
  const plan = given.get('PLAN');
  return [
    ...Object.entries(MIN_VALUES).flatMap(([name, least]): Problem[] => {
      const value = given.get(name);
      if (value === undefined || (/^\d+$/.test(value) && Number(value) >= least)) return [];
      return [
        {
          id: 'var-value',
          level: 'error',
          what: `${name} is not a whole number of ${least} or more.`,
          why: 'Every request returns 500 misconfigured.',
          fix: `Set a number, or remove ${name}: it has a default.`,
        },
      ];
    }),
    ...(plan === undefined || ['', 'free', 'paid'].includes(plan)
      ? []
      : [
          {
            id: 'var-value',
            level: 'error' as const,
            what: 'PLAN must be "free" or "paid".',
            why: 'Every request returns 500 misconfigured.',
            fix: 'Set it to the plan of your account.',
          },
        ]),
    ...(given.get('MODEL') === 'offline'
      ? [
          {
            id: 'model-offline',
            level: 'warning' as const,
            what: 'MODEL is "offline" in [vars].',
            why: 'The offline planner runs in development only: a deployment returns 500 misconfigured.',
            fix: 'Before you deploy, set MODEL to the name of a model, and set its key: wrangler secret put OPENAI_API_KEY.',
          },
        ]
      : []),
  ];
};

/** A secret that a deployed Worker reads, and its purpose. */
export interface NeededSecret {
  readonly name: string;
  readonly for: string;
}

/** Returns the secrets that the code reads. Only the account knows whether they are set. */
export function findNeededSecrets(project: Project): NeededSecret[] {
  const given = new Map(listVars(project));
  const needed: (NeededSecret & { readonly isRead: boolean })[] = [
    {
      name: 'HOLDFAST_TOKEN',
      for: 'the bearer token of clients; not needed if createHoldfast has `auth`',
      isRead: true,
    },
    {
      name: 'OPENAI_API_KEY',
      for: 'the model; not needed if the server at OPENAI_BASE_URL needs no key',
      isRead:
        isFileBundled(project, 'model/openai-compatible/openai-compatible') && !given.get('OPENAI_BASE_URL'),
    },
    {
      name: 'HOLDFAST_FILES_KEY',
      for: 'signed URLs of files, which pages load without a token',
      isRead: isFileBundled(project, 'modules/files/signed-links'),
    },
  ];
  return needed
    .filter(({ name, isRead }) => isRead && !isStored(project, name))
    .map(({ name, for: purpose }) => ({ name, for: purpose }));
}
