import { isDeepStrictEqual } from 'node:util';
import { hasFile } from './bundle.ts';
import type { Edit, Problem } from './problem.ts';
import type { Bundle, Config, Project } from './project.ts';
import { isInRange } from './versions.ts';

/** Returns the problems of one kind that a project has. */
type Check = (project: Project) => readonly Problem[];

/** The first day whose flags give a session's object `ctx.exports`. */
const LEAST_DATE = '2025-11-17';
/** From this day an object stays awake while something that it called is still at work. */
const AWAKE_DATE = '2026-10-01';

const MIB = 1024 * 1024;

/** What `holdfast/worker` does with settings of other words is an error of every request. */
const COUNTS = {
  LEASE_MS: 100,
  SESSION_BYTES: 17_000_000,
  SUBREQUESTS: 20,
  INTERNAL_SUBREQUESTS: 20,
  WALL_MS: 1000,
};

/** Makes a change of the configuration. */
const setConfig = (path: readonly string[], value: string | boolean): Edit => ({
  type: 'config',
  edit: { op: 'set', path, value },
});

const own = ({ environment }: Project, ...path: readonly string[]): readonly string[] =>
  environment === undefined ? path : ['env', environment, ...path];

/** The path of a setting that an environment inherits, unless it has one of its own. */
const inherited = (project: Project, key: keyof Config, ...path: readonly string[]): readonly string[] =>
  isDeepStrictEqual(project.config[key], project.top[key]) ? [key, ...path] : own(project, key, ...path);

const bundleOf = ({ bundle }: Project): Bundle | undefined =>
  bundle !== undefined && 'files' in bundle ? bundle : undefined;

const runsFile = (project: Project, path: string): boolean => {
  const bundle = bundleOf(project);
  return bundle !== undefined && hasFile(project, bundle, path);
};

const varsOf = ({ config }: Project): readonly (readonly [string, string])[] =>
  Object.entries(config.vars ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );

/** Whether a name is bound by the Secrets Store, whose values are not in the project. */
const isStored = ({ config }: Project, name: string): boolean =>
  config.secrets_store_secrets?.some(({ binding }) => binding === name) ?? false;

const date: Check = (project) => {
  const { compatibility_date: given, compatibility_flags: flags = [] } = project.config;
  const fix = [setConfig(inherited(project, 'compatibility_date'), AWAKE_DATE)];
  const isOff = flags.includes('disable_ctx_exports');
  const off: Problem = {
    id: 'ctx-exports',
    level: 'error',
    what: 'The flag disable_ctx_exports is set.',
    why: "A session's object reaches the TurnRunner by ctx.exports, so no turn outlives its request.",
    mend: 'Remove it from compatibility_flags.',
  };
  if (given === undefined || given < LEAST_DATE) {
    return [
      ...(isOff ? [off] : []),
      {
        id: 'compatibility-date',
        level: 'error',
        what: given === undefined ? 'There is no compatibility_date.' : `compatibility_date is ${given}.`,
        why: `Before ${LEAST_DATE} a session's object cannot reach the TurnRunner, so no turn outlives its request.`,
        mend: `Set compatibility_date = "${AWAKE_DATE}" or later.`,
        fix,
      },
    ];
  }
  if (isOff) return [off];
  const hasQueue = project.config.queues?.producers?.some(({ binding }) => binding === 'TURNS') ?? false;
  if (given >= AWAKE_DATE || hasQueue) return [];
  return [
    {
      id: 'stays-awake',
      level: 'warning',
      what: `compatibility_date is ${given}, and no queue is bound as TURNS.`,
      why: `Before ${AWAKE_DATE} the platform may stop an object while its turn waits, which leaves a once call in doubt.`,
      mend: `Set compatibility_date = "${AWAKE_DATE}" or later, or bind a queue.`,
      fix,
    },
  ];
};

const FLAGS = {
  enable_request_signal: 'Without it the Worker does not notice a client that goes away.',
  global_fetch_strictly_public:
    "Without it a fetch of an address of the Worker's own zone goes past the firewall of the zone, and such an address can come from data.",
};

const flags: Check = (project) =>
  Object.entries(FLAGS).flatMap(([flag, why]): Problem[] =>
    project.config.compatibility_flags?.includes(flag)
      ? []
      : [
          {
            id: flag.replaceAll('_', '-'),
            level: 'warning',
            what: `The compatibility flag ${flag} is missing.`,
            why,
            mend: `Add "${flag}" to compatibility_flags.`,
            fix: [
              {
                type: 'config',
                edit: { op: 'append', path: inherited(project, 'compatibility_flags'), value: flag },
              },
            ],
          },
        ],
  );

const sessions: Check = (project) => {
  const { config } = project;
  const binding = config.durable_objects?.bindings?.find(({ name }) => name === 'SESSIONS');
  if (!binding) {
    return [
      {
        id: 'sessions-binding',
        level: 'error',
        what: `No Durable Object is bound as SESSIONS${inEnvironment(project)}${otherName(project)}.`,
        why: 'Sessions are its objects, so every request for one returns 500 misconfigured.',
        mend: 'Bind it: name = "SESSIONS", class_name = "SessionObject" in [[durable_objects.bindings]].',
        fix: [
          {
            type: 'config',
            edit: {
              op: 'append',
              path: own(project, 'durable_objects', 'bindings'),
              value: { name: 'SESSIONS', class_name: 'SessionObject' },
            },
          },
          // A class that a migration has made already cannot be made again, with SQLite or without.
          ...(isMigrated(project, 'SessionObject') || isWithoutSqlite(project, 'SessionObject')
            ? []
            : [migration(project, 'SessionObject')]),
        ],
      },
    ];
  }
  const { class_name: name } = binding;
  if (binding.script_name !== undefined || isMigrated(project, name)) return [];
  return [
    isWithoutSqlite(project, name)
      ? {
          id: 'sessions-sqlite',
          level: 'error',
          what: `The class ${name} is in new_classes.`,
          why: 'Its objects have no SQLite storage, which sessions are kept in.',
          mend: `Name it in new_sqlite_classes. If it was deployed, export the class under another name too, with another tag: it stays without.`,
        }
      : {
          id: 'sessions-migration',
          level: 'error',
          what: `No migration makes the class ${name}.`,
          why: 'A deployment is refused without it.',
          mend: `Add [[migrations]] with a tag and new_sqlite_classes = ["${name}"].`,
          fix: [migration(project, name)],
        },
  ];
};

const inEnvironment = ({ environment }: Project): string =>
  environment === undefined ? '' : ` in the environment ${environment}, which inherits no bindings`;

/** The name that the class has in the place of the right one. */
function otherName({ config }: Project): string {
  const other = config.durable_objects?.bindings?.find(({ class_name: name }) => name === 'SessionObject');
  return other ? `; SessionObject is bound as ${other.name}` : '';
}

const isWithoutSqlite = ({ config }: Project, name: string): boolean =>
  config.migrations?.some((one) => one.new_classes?.includes(name)) ?? false;

function isMigrated({ config }: Project, name: string): boolean {
  const isMade = config.migrations?.some(
    ({ new_sqlite_classes: made = [], renamed_classes: renamed = [] }) =>
      made.includes(name) || renamed.some(({ to }) => to === name),
  );
  return (isMade ?? false) || config.exports?.[name] !== undefined;
}

function migration(project: Project, name: string): Edit {
  const tags = new Set(project.config.migrations?.map(({ tag }) => tag));
  let number = tags.size + 1;
  while (tags.has(`v${number}`)) number += 1;
  return {
    type: 'config',
    edit: {
      op: 'append',
      path: inherited(project, 'migrations'),
      value: { tag: `v${number}`, new_sqlite_classes: [name] },
    },
  };
}

const entry: Check = (project) => {
  const { config, entry: file, bundle } = project;
  if (!file) {
    return [
      {
        id: 'entry-missing',
        level: 'error',
        what: config.main === undefined ? 'There is no `main`.' : `There is no file ${config.main}.`,
        why: 'It is the main module of the Worker.',
        mend: 'Set main to the file that exports the Worker, such as "src/worker.ts".',
      },
    ];
  }
  if (bundle === undefined) return [];
  const binding = config.durable_objects?.bindings?.find(({ name }) => name === 'SESSIONS');
  const sessionClass = binding && binding.script_name === undefined ? binding.class_name : undefined;
  if ('failure' in bundle) {
    if (sessionClass !== undefined && bundle.unexported.includes(sessionClass))
      return [withoutSessionClass(file.file, sessionClass)];
    return [
      {
        id: 'bundle-fails',
        level: 'error',
        what: `wrangler cannot bundle ${file.file}: ${bundle.failure}`,
        why: 'So it can be neither run nor deployed. A package that is not installed is the usual reason.',
        mend: 'Mend what wrangler names, or install the package.',
      },
    ];
  }
  const has = (name: string): boolean => bundle.exports.includes(name);
  const [, app] = /\b(?:const|let)\s+(\w+)\s*=\s*createHoldfast\s*[(<]/.exec(file.text) ?? [];
  return [
    ...(has('default')
      ? []
      : [
          {
            id: 'export-default',
            level: 'error' as const,
            what: `${file.file} has no default export.`,
            why: 'The default export answers requests.',
            mend: `export default ${app ?? 'holdfast'}.worker;`,
            ...(app && { fix: [appended(file.file, `export default ${app}.worker;`)] }),
          },
        ]),
    ...(has('TurnRunner')
      ? []
      : [
          {
            id: 'export-turn-runner',
            level: 'error' as const,
            what: `${file.file} does not export TurnRunner.`,
            why: 'The object of a session runs turns by it, so no turn outlives its request.',
            mend: `export const { TurnRunner } = ${app ?? 'holdfast'};`,
            ...(app && { fix: [appended(file.file, `export const { TurnRunner } = ${app};`)] }),
          },
        ]),
    ...(sessionClass === undefined || has(sessionClass)
      ? []
      : [withoutSessionClass(file.file, sessionClass)]),
  ];
};

const withoutSessionClass = (file: string, name: string): Problem => ({
  id: 'export-session-object',
  level: 'error',
  what: `${file} does not export ${name}.`,
  why: 'SESSIONS is bound to that class, so a deployment is refused.',
  mend: `export { ${exported(name)} } from 'holdfast/durable-objects';`,
  fix: [appended(file, `export { ${exported(name)} } from 'holdfast/durable-objects';`)],
});

const exported = (name: string): string => (name === 'SessionObject' ? name : `SessionObject as ${name}`);

const appended = (file: string, line: string): Edit => ({ type: 'append', file, lines: `${line}\n` });

const peers: Check = ({ holdfast, installed }) =>
  holdfast.peers.flatMap(({ name, range, isOptional }): Problem[] => {
    const version = installed(name);
    if (version === undefined) {
      if (isOptional) return [];
      return [
        {
          id: 'peer-missing',
          level: 'error',
          what: `The package ${name} is not installed.`,
          why: 'Holdfast imports the copy of the project, so that both have the same schemas.',
          mend: `npm install ${name}@"${range}"`,
        },
      ];
    }
    if (isInRange(version, range)) return [];
    return [
      {
        id: 'peer-version',
        level: isOptional ? 'warning' : 'error',
        what: `${name} is ${version}, and Holdfast is made for ${range}.`,
        why: 'Types or calls of another version need not fit.',
        mend: `npm install ${name}@"${range}"`,
      },
    ];
  });

const copies: Check = (project) => {
  const roots = new Map<string, Set<string>>();
  for (const file of bundleOf(project)?.files.keys() ?? []) {
    const [, root, name] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))/.exec(file) ?? [];
    if (root === undefined || name === undefined) continue;
    roots.set(name, (roots.get(name) ?? new Set()).add(root));
  }
  return [...roots]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => ({
      id: 'two-copies',
      level: 'warning',
      what: `The bundle has ${places.size} copies of ${name}.`,
      why: 'Each weighs, and an instance of one is none of the other.',
      mend: `Install one version of it (npm ls ${name} shows who asks for which), or run npm dedupe.`,
    }));
};

const minify: Check = (project) =>
  project.config.minify === true
    ? []
    : [
        {
          id: 'minify',
          level: 'warning',
          what: 'The bundle is not minified.',
          why: 'A smaller script starts sooner, and the free plan takes 3 MB.',
          mend: 'Set minify = true.',
          fix: [setConfig(inherited(project, 'minify'), true)],
        },
      ];

const observability: Check = (project) =>
  project.config.observability?.enabled === true
    ? []
    : [
        {
          id: 'observability',
          level: 'warning',
          what: 'Observability is off.',
          why: 'The log says which turns failed and why, and is lost unless Workers keeps it.',
          mend: 'Set enabled = true in [observability].',
          fix: [setConfig(inherited(project, 'observability', 'enabled'), true)],
        },
      ];

/** Names that hold secrets, as the log of Holdfast takes them. */
const isSecretName = (name: string): boolean => /(_KEY|_TOKEN|_SECRET|_PASSWORD)$/.test(name);

const secrets: Check = (project) =>
  varsOf(project)
    .filter(([name, value]) => isSecretName(name) && value.trim() !== '')
    .map(([name]) => ({
      id: 'secret-in-vars',
      level: 'error',
      what: `${name} is in [vars].`,
      why: 'Who reads the repository or the dashboard reads it there.',
      mend: `Remove it and replace it, as it has been seen: wrangler secret put ${name}, and .dev.vars for your own machine.`,
    }));

const localAuth: Check = (project) =>
  varsOf(project)
    .filter(([name]) => name === 'HOLDFAST_AUTH')
    .map(([name, value]) => ({
      id: 'local-auth-deployed',
      level: 'error',
      what: 'HOLDFAST_AUTH is in [vars].',
      why: 'Vars are deployed: a bundle that is made for development would let in who needs no token.',
      mend: `Move it to ${project.localFile}, which no deployment reads.`,
      fix: [
        { type: 'config', edit: { op: 'remove', path: own(project, 'vars', name) } },
        ...(value === 'localhost' && !project.devVars?.values.has(name)
          ? [{ type: 'dev-var', file: project.localFile, name, value } as const]
          : []),
      ],
    }));

const devVars: Check = ({ devVars: vars }) =>
  vars && !vars.isIgnored
    ? [
        {
          id: 'dev-vars-not-ignored',
          level: 'error',
          what: `Git does not ignore ${vars.file}.`,
          why: 'It holds secrets, which the next commit would publish.',
          mend: 'Add the lines .dev.vars* and !.dev.vars.example to .gitignore. If it is committed already, git rm --cached it and replace its secrets.',
          fix: [{ type: 'append', file: '.gitignore', lines: '.dev.vars*\n!.dev.vars.example\n' }],
        },
      ]
    : [];

/** One that nobody guesses: `openssl rand -hex 32` makes 64 characters. */
const isWeak = (token: string): boolean => token.length < 24 || new Set(token).size < 8;

const token: Check = (project) => {
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
            why: 'Who has it reads and writes every session.',
            mend: 'Make one by openssl rand -hex 32, and another one for the deployment.',
          },
        ]
      : []),
    ...(given !== undefined && given !== '' && given === key
      ? [
          {
            id: 'files-key',
            level: 'error' as const,
            what: `HOLDFAST_FILES_KEY in ${file} is the same as HOLDFAST_TOKEN.`,
            why: 'Clients know the token, and could sign the address of any file.',
            mend: 'Make a key of its own by openssl rand -hex 32.',
          },
        ]
      : []),
  ];
};

const schedules: Check = (project) =>
  runsFile(project, 'modules/schedules/entry') && (project.config.triggers?.crons?.length ?? 0) === 0
    ? [
        {
          id: 'schedule-without-trigger',
          level: 'error',
          what: 'The Worker has schedules, and wrangler has no crons.',
          why: 'A schedule whose expression is not among the crons never starts.',
          mend: 'Add the expression of each schedule: crons = ["0 6 * * *"] in [triggers].',
        },
      ]
    : [];

const queue: Check = (project) => {
  const { producers = [], consumers = [] } = project.config.queues ?? {};
  const name = producers.find(({ binding }) => binding === 'TURNS')?.queue;
  if (name === undefined) return [];
  const consumer = consumers.find((one) => one.queue === name);
  const problems: Problem[] = [];
  if (!consumer) {
    problems.push({
      id: 'queue-without-consumer',
      level: 'error',
      what: `The queue ${name} is bound as TURNS, and this Worker does not consume it.`,
      why: 'Background turns wait in it, and no one runs them.',
      mend: `Add [[queues.consumers]] with queue = "${name}" and max_batch_size = 1.`,
      fix: [
        {
          type: 'config',
          edit: {
            op: 'append',
            path: own(project, 'queues', 'consumers'),
            value: { queue: name, max_batch_size: 1, max_batch_timeout: 0, max_retries: 5 },
          },
        },
      ],
    });
  } else if (consumer.max_batch_size !== 1) {
    problems.push({
      id: 'queue-batch',
      level: 'warning',
      what: `The consumer of ${name} has no max_batch_size = 1.`,
      why: 'The limits of the platform are those of an invocation, which several turns would share.',
      mend: 'Set max_batch_size = 1 and max_batch_timeout = 0.',
    });
  }
  if (bundleOf(project) && !runsFile(project, 'worker/consume-turns')) {
    problems.push({
      id: 'queue-handler',
      level: 'error',
      what: 'A queue is bound as TURNS, and the Worker has no consumeTurns.',
      why: 'Its messages fail, so background turns start late, by their alarm.',
      mend: "export default { ...holdfast.worker, queue: consumeTurns(holdfast) }, with consumeTurns of 'holdfast/worker'.",
    });
  }
  return problems;
};

const rateLimit: Check = (project) =>
  runsFile(project, 'modules/http/rate-limit') &&
  !project.config.ratelimits?.some(({ name }) => name === 'RATE_LIMIT')
    ? [
        {
          id: 'rate-limit-binding',
          level: 'error',
          what: 'The Worker uses rateLimit(), and nothing is bound as RATE_LIMIT.',
          why: 'Every request for a session returns 500 misconfigured.',
          mend: 'Add [[ratelimits]] with name = "RATE_LIMIT", a namespace_id and simple = { limit = 60, period = 60 }.',
          fix: [
            {
              type: 'config',
              edit: {
                op: 'append',
                path: own(project, 'ratelimits'),
                value: { name: 'RATE_LIMIT', namespace_id: '1', simple: { limit: 60, period: 60 } },
              },
            },
          ],
        },
      ]
    : [];

const baseUrl: Check = (project) => {
  const { devVars: file } = project;
  const local = file?.values.get('OPENAI_BASE_URL');
  const deployed = varsOf(project).find(([name]) => name === 'OPENAI_BASE_URL')?.[1];
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
          what: `OPENAI_BASE_URL in ${where} is no http address.`,
          why: 'Every turn fails as misconfigured.',
          mend: 'Write the whole address, such as https://api.openai.com/v1.',
        },
      ];
    }
    // Some providers have a path of their own, such as /api/v1 or /v1beta/openai.
    if (url.pathname !== '/' && url.pathname !== '') return [];
    const mended = `${url.origin}/v1`;
    const edit: Edit =
      where === '[vars]'
        ? setConfig(own(project, 'vars', 'OPENAI_BASE_URL'), mended)
        : { type: 'dev-var', file: where, name: 'OPENAI_BASE_URL', value: mended };
    return [
      {
        id: 'base-url-without-v1',
        level: 'error',
        what: `OPENAI_BASE_URL in ${where} has no path.`,
        why: 'Requests go to its path with /chat/completions behind it, which is below /v1 at nearly every server.',
        mend: 'End it with /v1.',
        // Credentials or a query in it are for a person to look at.
        ...(url.username === '' && url.search === '' && { fix: [edit] }),
      },
    ];
  });
};

const vars: Check = (project) => {
  const given = new Map(varsOf(project));
  const plan = given.get('PLAN');
  return [
    ...Object.entries(COUNTS).flatMap(([name, least]): Problem[] => {
      const value = given.get(name);
      if (value === undefined || (/^\d+$/.test(value) && Number(value) >= least)) return [];
      return [
        {
          id: 'var-value',
          level: 'error',
          what: `${name} is no whole number of ${least} or more.`,
          why: 'Every request returns 500 misconfigured.',
          mend: `Set a number, or remove ${name}: it has a default.`,
        },
      ];
    }),
    ...(plan === undefined || ['', 'free', 'paid'].includes(plan)
      ? []
      : [
          {
            id: 'var-value',
            level: 'error' as const,
            what: 'PLAN is neither "free" nor "paid".',
            why: 'Every request returns 500 misconfigured.',
            mend: 'Set the plan of your account.',
          },
        ]),
    ...(given.get('MODEL') === 'offline'
      ? [
          {
            id: 'model-offline',
            level: 'warning' as const,
            what: 'MODEL is "offline" in [vars].',
            why: 'The planner runs in development only: what is deployed returns 500 misconfigured.',
            mend: 'Before you deploy, set MODEL to the name of a model and put its key: wrangler secret put OPENAI_API_KEY.',
          },
        ]
      : []),
  ];
};

const size: Check = (project) => {
  const gzipped = bundleOf(project)?.gzipped ?? 0;
  if (gzipped <= 3 * MIB) return [];
  const isOver = gzipped > 10 * MIB;
  return [
    {
      id: 'bundle-size',
      level: isOver ? 'error' : 'warning',
      what: `The bundle weighs ${(gzipped / MIB).toFixed(1)} MiB gzipped.`,
      why: isOver ? 'Workers takes at most 10 MB.' : 'The free plan of Workers takes at most 3 MB.',
      mend: 'Remove what the table below shows to be large, or import less of it.',
    },
  ];
};

const CHECKS: readonly Check[] = [
  ...[date, flags, sessions, entry, peers, copies, minify, observability],
  ...[secrets, localAuth, devVars, token, schedules, queue, rateLimit, baseUrl, vars, size],
];

/** Returns all problems of a project, errors first. */
export const checkProject = (project: Project): Problem[] => {
  const problems = CHECKS.flatMap((check) => check(project));
  const rank = ({ level }: Problem): number => (level === 'error' ? 0 : 1);
  return problems.toSorted((one, other) => rank(one) - rank(other));
};

/** A secret that a deployed Worker reads, and what for. */
export interface NeededSecret {
  readonly name: string;
  readonly for: string;
}

/** Returns the secrets that the code reads, which only the account knows to be set. */
export function neededSecrets(project: Project): NeededSecret[] {
  const given = new Map(varsOf(project));
  const needed: (NeededSecret & { readonly isRead: boolean })[] = [
    {
      name: 'HOLDFAST_TOKEN',
      for: 'the bearer token of clients, unless createHoldfast has an `auth` of its own',
      isRead: true,
    },
    {
      name: 'OPENAI_API_KEY',
      for: 'the model, unless OPENAI_BASE_URL names a server that needs no key',
      isRead: runsFile(project, 'model/openai-compatible/openai-compatible') && !given.get('OPENAI_BASE_URL'),
    },
    {
      name: 'HOLDFAST_FILES_KEY',
      for: 'signed addresses of files, which pages draw without a token',
      isRead: runsFile(project, 'modules/files/signed-links'),
    },
  ];
  return needed
    .filter(({ name, isRead }) => isRead && !isStored(project, name))
    .map(({ name, for: purpose }) => ({ name, for: purpose }));
}
