/** Checks the Durable Objects of modules, and the migrations that create all objects. */
import { type Check, getOwnPath, isFileBundled } from './check.ts';
import { createAppendEdit } from './check-code.ts';
import { createMigration, isMigrated } from './check-config.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';

interface ModuleObject {
  /** The file that a Worker runs if it uses the module. */
  readonly file: string;
  readonly use: string;
  readonly binding: string;
  readonly className: string;
  readonly entry: string;
}

const OBJECTS: readonly ModuleObject[] = [
  {
    file: 'modules/index/entry',
    use: 'sessionIndex()',
    binding: 'INDEX',
    className: 'IndexObject',
    entry: 'holdfast/index',
  },
  {
    file: 'modules/owner-limits/entry',
    use: 'ownerLimits()',
    binding: 'OWNER_LIMITS',
    className: 'OwnerLimits',
    entry: 'holdfast/owner-limits',
  },
];

export const checkModuleObjects: Check = (project) =>
  OBJECTS.filter(({ file }) => isFileBundled(project, file)).flatMap((object) => [
    ...listUnboundProblems(project, object),
    ...listUnmigratedProblems(project, object),
  ]);

function listUnboundProblems(project: Project, { use, binding, className, entry }: ModuleObject): Problem[] {
  const { config, entry: main, bundle } = project;
  if (config.durable_objects?.bindings?.some(({ name }) => name === binding)) return [];
  const isExported = bundle && 'exports' in bundle && bundle.exports.includes(className);
  return [
    {
      id: 'module-object-binding',
      level: 'error',
      what: `The Worker uses ${use}, and no Durable Object is bound as ${binding}.`,
      why: 'Every request for a session returns 500 misconfigured.',
      fix: `Export ${className} from '${entry}', and bind it: name = "${binding}", class_name = "${className}" in [[durable_objects.bindings]].`,
      edits: [
        {
          type: 'config',
          edit: {
            op: 'append',
            path: getOwnPath(project, 'durable_objects', 'bindings'),
            value: { name: binding, class_name: className },
          },
        },
        ...(isMigrated(project, className) ? [] : [createMigration(project, className)]),
        ...(main && !isExported
          ? [createAppendEdit(main.file, `export { ${className} } from '${entry}';`)]
          : []),
      ],
    },
  ];
}

function listUnmigratedProblems(project: Project, { binding }: ModuleObject): Problem[] {
  const bound = project.config.durable_objects?.bindings?.find(({ name }) => name === binding);
  if (!bound || bound.script_name !== undefined || isMigrated(project, bound.class_name)) return [];
  return [
    {
      id: 'module-object-migration',
      level: 'error',
      what: `No migration creates the class ${bound.class_name}.`,
      why: 'A deployment is refused without it.',
      fix: `Add [[migrations]] with a tag of its own and new_sqlite_classes = ["${bound.class_name}"].`,
      edits: [createMigration(project, bound.class_name)],
    },
  ];
}

export const checkMigrationTags: Check = ({ config }) => {
  const tags = config.migrations?.map(({ tag }) => tag) ?? [];
  const repeated = [...new Set(tags.filter((tag, index) => tags.indexOf(tag) !== index))];
  return repeated.map((tag) => ({
    id: 'migration-tag',
    level: 'error',
    what: `Two migrations have the tag ${tag}.`,
    why: 'A deployment applies the migrations after the tag of the last one, so one of them can be skipped.',
    fix: 'Give each migration a tag of its own. Do not change an entry that was deployed.',
  }));
};
