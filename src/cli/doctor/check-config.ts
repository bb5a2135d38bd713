/** Checks the platform's settings in the configuration of wrangler. */
import { type Check, createConfigEdit, getInheritedPath, getOwnPath } from './check.ts';
import type { Edit, Problem } from './problem.ts';
import type { Project } from './project.ts';

/** The first compatibility date that enables `ctx.exports` in a session's object. */
const MIN_DATE = '2025-11-17';
/** The first compatibility date at which an object stays awake while a call that it made is running. */
const MIN_AWAKE_DATE = '2026-10-01';

export const checkDate: Check = (project) => {
  const { compatibility_date: given, compatibility_flags: flags = [] } = project.config;
  const edits = [createConfigEdit(getInheritedPath(project, 'compatibility_date'), MIN_AWAKE_DATE)];
  const isOff = flags.includes('disable_ctx_exports');
  const off: Problem = {
    id: 'ctx-exports',
    level: 'error',
    what: 'The flag disable_ctx_exports is set.',
    why: "A session's object reaches the TurnRunner by ctx.exports, so no turn outlives its request.",
    fix: 'Remove it from compatibility_flags.',
  };
  if (given === undefined || given < MIN_DATE) {
    return [
      ...(isOff ? [off] : []),
      {
        id: 'compatibility-date',
        level: 'error',
        what: given === undefined ? 'There is no compatibility_date.' : `compatibility_date is ${given}.`,
        why: `Before ${MIN_DATE} a session's object cannot reach the TurnRunner, so no turn outlives its request.`,
        fix: `Set compatibility_date = "${MIN_AWAKE_DATE}" or later.`,
        edits,
      },
    ];
  }
  if (isOff) return [off];
  const hasQueue = project.config.queues?.producers?.some(({ binding }) => binding === 'TURNS') ?? false;
  if (given >= MIN_AWAKE_DATE || hasQueue) return [];
  return [
    {
      id: 'stays-awake',
      level: 'warning',
      what: `compatibility_date is ${given}, and no queue is bound as TURNS.`,
      why: `Before ${MIN_AWAKE_DATE} the platform may stop an object while its turn waits, which leaves a once call in doubt.`,
      fix: `Set compatibility_date = "${MIN_AWAKE_DATE}" or later, or bind a queue.`,
      edits,
    },
  ];
};

const FLAGS = {
  enable_request_signal: 'Without it, the Worker does not notice when a client disconnects.',
  global_fetch_strictly_public:
    "Without it, a fetch to the Worker's own zone bypasses the firewall of the zone, and data can contain such a URL.",
};

export const checkFlags: Check = (project) =>
  Object.entries(FLAGS).flatMap(([flag, why]): Problem[] =>
    project.config.compatibility_flags?.includes(flag)
      ? []
      : [
          {
            id: flag.replaceAll('_', '-'),
            level: 'warning',
            what: `The compatibility flag ${flag} is missing.`,
            why,
            fix: `Add "${flag}" to compatibility_flags.`,
            edits: [
              {
                type: 'config',
                edit: { op: 'append', path: getInheritedPath(project, 'compatibility_flags'), value: flag },
              },
            ],
          },
        ],
  );

export const checkSessions: Check = (project) => {
  const { config } = project;
  const binding = config.durable_objects?.bindings?.find(({ name }) => name === 'SESSIONS');
  if (!binding) {
    return [
      {
        id: 'sessions-binding',
        level: 'error',
        what: `No Durable Object is bound as SESSIONS${formatEnvironmentSuffix(project)}${formatOtherBinding(project)}.`,
        why: 'Sessions are its objects, so every request for one returns 500 misconfigured.',
        fix: 'Bind it: name = "SESSIONS", class_name = "SessionObject" in [[durable_objects.bindings]].',
        edits: [
          {
            type: 'config',
            edit: {
              op: 'append',
              path: getOwnPath(project, 'durable_objects', 'bindings'),
              value: { name: 'SESSIONS', class_name: 'SessionObject' },
            },
          },
          // A class that exists after a migration cannot be created again, with or without SQLite.
          ...(isMigrated(project, 'SessionObject') || isCreatedWithoutSqlite(project, 'SessionObject')
            ? []
            : [createMigration(project, 'SessionObject')]),
        ],
      },
    ];
  }
  const { class_name: name } = binding;
  if (binding.script_name !== undefined || isMigrated(project, name)) return [];
  return [
    isCreatedWithoutSqlite(project, name)
      ? {
          id: 'sessions-sqlite',
          level: 'error',
          what: `The class ${name} is in new_classes.`,
          why: 'Its objects have no SQLite storage, which sessions need.',
          fix: `Move it to new_sqlite_classes. A deployed class cannot get SQLite later: if it was deployed, export the class under another name as well, with another tag.`,
        }
      : {
          id: 'sessions-migration',
          level: 'error',
          what: `No migration creates the class ${name}.`,
          why: 'A deployment is refused without it.',
          fix: `Add [[migrations]] with a tag and new_sqlite_classes = ["${name}"].`,
          edits: [createMigration(project, name)],
        },
  ];
};

const formatEnvironmentSuffix = ({ environment }: Project): string =>
  environment === undefined ? '' : ` in the environment ${environment}, which inherits no bindings`;

/** Returns the name that the configuration uses instead of the class's own. */
function formatOtherBinding({ config }: Project): string {
  const other = config.durable_objects?.bindings?.find(({ class_name: name }) => name === 'SessionObject');
  return other ? `; SessionObject is bound as ${other.name}` : '';
}

const isCreatedWithoutSqlite = ({ config }: Project, name: string): boolean =>
  config.migrations?.some((one) => one.new_classes?.includes(name)) ?? false;

/** Returns whether a migration creates this class, with SQLite. */
export function isMigrated({ config }: Project, name: string): boolean {
  const isMade = config.migrations?.some(
    ({ new_sqlite_classes: made = [], renamed_classes: renamed = [] }) =>
      made.includes(name) || renamed.some(({ to }) => to === name),
  );
  return (isMade ?? false) || config.exports?.[name] !== undefined;
}

/** Makes the migration of a class, with a tag of its own. */
export function createMigration(project: Project, name: string): Edit {
  const tags = new Set(project.config.migrations?.map(({ tag }) => tag));
  let number = tags.size + 1;
  while (tags.has(`v${number}`)) number += 1;
  return {
    type: 'config',
    edit: {
      op: 'append',
      path: getInheritedPath(project, 'migrations'),
      value: { tag: `v${number}`, new_sqlite_classes: [name] },
    },
  };
}

export const checkMinify: Check = (project) =>
  project.config.minify === true
    ? []
    : [
        {
          id: 'minify',
          level: 'warning',
          what: 'The bundle is not minified.',
          why: 'A smaller script starts sooner, and the free plan accepts 3 MB.',
          fix: 'Set minify = true.',
          edits: [createConfigEdit(getInheritedPath(project, 'minify'), true)],
        },
      ];

export const checkObservability: Check = (project) =>
  project.config.observability?.enabled === true
    ? []
    : [
        {
          id: 'observability',
          level: 'warning',
          what: 'Observability is off.',
          why: 'Workers does not store the log, which shows the turns that failed, and why.',
          fix: 'Set enabled = true in [observability].',
          edits: [createConfigEdit(getInheritedPath(project, 'observability', 'enabled'), true)],
        },
      ];
