/** Checks the Worker's code, its packages, and the bindings that the code needs. */
import { type Check, findBundle, getOwnPath, isFileBundled } from './check.ts';
import type { Edit, Problem } from './problem.ts';
import { isInRange } from './versions.ts';

const MIB = 1024 * 1024;

export const checkEntry: Check = (project) => {
  const { config, entry: file, bundle } = project;
  if (!file) {
    return [
      {
        id: 'entry-missing',
        level: 'error',
        what: config.main === undefined ? 'There is no `main`.' : `There is no file ${config.main}.`,
        why: 'It is the main module of the Worker.',
        fix: 'Set main to the file that exports the Worker, such as "src/worker.ts".',
      },
    ];
  }
  if (bundle === undefined) return [];
  const binding = config.durable_objects?.bindings?.find(({ name }) => name === 'SESSIONS');
  const sessionClass = binding && binding.script_name === undefined ? binding.class_name : undefined;
  if ('failure' in bundle) {
    if (sessionClass !== undefined && bundle.unexported.includes(sessionClass))
      return [createMissingExportProblem(file.file, sessionClass)];
    return [
      {
        id: 'bundle-fails',
        level: 'error',
        what: `wrangler cannot bundle ${file.file}: ${bundle.failure}`,
        why: 'The Worker cannot run or be deployed. The usual reason is a package that is not installed.',
        fix: 'Fix the error that wrangler names, or install the package.',
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
            fix: `export default ${app ?? 'holdfast'}.worker;`,
            ...(app && { edits: [createAppendEdit(file.file, `export default ${app}.worker;`)] }),
          },
        ]),
    ...(has('TurnRunner')
      ? []
      : [
          {
            id: 'export-turn-runner',
            level: 'error' as const,
            what: `${file.file} does not export TurnRunner.`,
            why: 'Without it, the object of a session cannot run turns, so no turn outlives its request.',
            fix: `export const { TurnRunner } = ${app ?? 'holdfast'};`,
            ...(app && { edits: [createAppendEdit(file.file, `export const { TurnRunner } = ${app};`)] }),
          },
        ]),
    ...(sessionClass === undefined || has(sessionClass)
      ? []
      : [createMissingExportProblem(file.file, sessionClass)]),
  ];
};

const createMissingExportProblem = (file: string, name: string): Problem => ({
  id: 'export-session-object',
  level: 'error',
  what: `${file} does not export ${name}.`,
  why: 'SESSIONS is bound to that class, so a deployment is refused.',
  fix: `export { ${formatExport(name)} } from 'holdfast/durable-objects';`,
  edits: [createAppendEdit(file, `export { ${formatExport(name)} } from 'holdfast/durable-objects';`)],
});

const formatExport = (name: string): string => (name === 'SessionObject' ? name : `SessionObject as ${name}`);

/** Makes a change that adds lines to the end of a file. */
export const createAppendEdit = (file: string, line: string): Edit => ({
  type: 'append',
  file,
  lines: `${line}\n`,
});

export const checkPeers: Check = ({ holdfast, installed }) =>
  holdfast.peers.flatMap(({ name, range, isOptional }): Problem[] => {
    const version = installed(name);
    if (version === undefined) {
      if (isOptional) return [];
      return [
        {
          id: 'peer-missing',
          level: 'error',
          what: `The package ${name} is not installed.`,
          why: 'Holdfast imports the copy of the project, so that both use the same schemas.',
          fix: `npm install ${name}@"${range}"`,
        },
      ];
    }
    if (isInRange(version, range)) return [];
    return [
      {
        id: 'peer-version',
        level: isOptional ? 'warning' : 'error',
        what: `${name} is ${version}, but Holdfast needs ${range}.`,
        why: 'The types and functions of another version may not be compatible.',
        fix: `npm install ${name}@"${range}"`,
      },
    ];
  });

export const checkCopies: Check = (project) => {
  const roots = new Map<string, Set<string>>();
  for (const file of findBundle(project)?.files.keys() ?? []) {
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
      why: 'Each adds to the size, and an instance of one is not an instance of the other.',
      fix: `Install one version of it (npm ls ${name} shows which packages need it), or run npm dedupe.`,
    }));
};

export const checkSchedules: Check = (project) =>
  isFileBundled(project, 'modules/schedules/entry') && (project.config.triggers?.crons?.length ?? 0) === 0
    ? [
        {
          id: 'schedule-without-trigger',
          level: 'error',
          what: 'The Worker has schedules, but the configuration has no crons.',
          why: 'A schedule whose expression is not among the crons never starts.',
          fix: 'Add the expression of each schedule: crons = ["0 6 * * *"] in [triggers].',
        },
      ]
    : [];

export const checkQueue: Check = (project) => {
  const { producers = [], consumers = [] } = project.config.queues ?? {};
  const name = producers.find(({ binding }) => binding === 'TURNS')?.queue;
  if (name === undefined) return [];
  const consumer = consumers.find((one) => one.queue === name);
  const problems: Problem[] = [];
  if (!consumer) {
    problems.push({
      id: 'queue-without-consumer',
      level: 'error',
      what: `The queue ${name} is bound as TURNS, but this Worker does not consume it.`,
      why: 'Background turns wait in the queue, and are not run.',
      fix: `Add [[queues.consumers]] with queue = "${name}" and max_batch_size = 1.`,
      edits: [
        {
          type: 'config',
          edit: {
            op: 'append',
            path: getOwnPath(project, 'queues', 'consumers'),
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
      why: 'Platform limits apply to each invocation, and several turns would share one.',
      fix: 'Set max_batch_size = 1 and max_batch_timeout = 0.',
    });
  }
  if (findBundle(project) && !isFileBundled(project, 'worker/consume-turns')) {
    problems.push({
      id: 'queue-handler',
      level: 'error',
      what: 'A queue is bound as TURNS, but the Worker does not use consumeTurns.',
      why: 'Its messages fail, so background turns start late, by their alarm.',
      fix: "export default { ...holdfast.worker, queue: consumeTurns(holdfast) }, with consumeTurns from 'holdfast/worker'.",
    });
  }
  return problems;
};

export const checkRateLimit: Check = (project) =>
  isFileBundled(project, 'modules/http/rate-limit') &&
  !project.config.ratelimits?.some(({ name }) => name === 'RATE_LIMIT')
    ? [
        {
          id: 'rate-limit-binding',
          level: 'error',
          what: 'The Worker uses rateLimit(), but has no binding RATE_LIMIT.',
          why: 'Every request for a session returns 500 misconfigured.',
          fix: 'Add [[ratelimits]] with name = "RATE_LIMIT", a namespace_id and simple = { limit = 60, period = 60 }.',
          edits: [
            {
              type: 'config',
              edit: {
                op: 'append',
                path: getOwnPath(project, 'ratelimits'),
                value: { name: 'RATE_LIMIT', namespace_id: '1', simple: { limit: 60, period: 60 } },
              },
            },
          ],
        },
      ]
    : [];

export const checkSize: Check = (project) => {
  const gzipped = findBundle(project)?.gzipped ?? 0;
  if (gzipped <= 3 * MIB) return [];
  const isOver = gzipped > 10 * MIB;
  return [
    {
      id: 'bundle-size',
      level: isOver ? 'error' : 'warning',
      what: `The bundle has ${(gzipped / MIB).toFixed(1)} MiB gzipped.`,
      why: isOver ? 'Workers accepts at most 10 MB.' : 'The free plan of Workers accepts at most 3 MB.',
      fix: 'Remove the largest modules in the table below, or import less of them.',
    },
  ];
};
