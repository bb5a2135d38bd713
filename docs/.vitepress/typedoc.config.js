// Writes docs/reference: a page for each entry of the package, from the types and comments of its sources.
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Converter, ReflectionKind } from 'typedoc';

const root = resolve(import.meta.dirname, '../..');
const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The entries by their sources: `./dist/src/index.js` is built from `src/index.ts`. */
const entries = new Map(
  Object.entries(exports).flatMap(([path, { default: built }]) =>
    built?.startsWith('./dist/')
      ? [[built.replace('./dist/', '').replace(/\.js$/, '.ts'), join(name, path)]]
      : [],
  ),
);

/** Names each page by how its entry is imported. */
function nameByEntry(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const entry = entries.get(relative(root, module.sources?.[0]?.fullFileName ?? ''));
      if (entry) module.name = entry;
    }
  });
}

export default {
  entryPoints: [...entries.keys()].map((file) => join(root, file)),
  tsconfig: join(root, 'tsconfig.json'),
  skipErrorChecking: true,
  logLevel: 'Error',
  plugin: ['typedoc-plugin-markdown', nameByEntry],
  out: join(root, 'docs/reference'),
  readme: 'none',
  router: 'module',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  excludePrivate: true,
  excludeInternal: true,
  typeDeclarationVisibility: 'compact',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  disableGit: true,
  basePath: root,
  sourceLinkTemplate: 'https://github.com/holdfast-dev/holdfast/blob/main/{path}#L{line}',
};
