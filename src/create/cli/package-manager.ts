/** The commands of each package manager. */
export const MANAGERS = {
  npm: { run: 'npm run', test: 'npm test', exec: 'npx', create: 'npm create holdfast@latest' },
  pnpm: { run: 'pnpm run', test: 'pnpm test', exec: 'pnpm exec', create: 'pnpm create holdfast' },
  yarn: { run: 'yarn run', test: 'yarn test', exec: 'yarn', create: 'yarn create holdfast' },
  bun: { run: 'bun run', test: 'bun run test', exec: 'bunx', create: 'bun create holdfast' },
} as const;

export type Manager = keyof typeof MANAGERS;

export const isManager = (name: string): name is Manager => Object.hasOwn(MANAGERS, name);

/**
 * Returns the package manager that runs this program, from its user agent, such as `pnpm/10.4.1 npm/?
 * node/v24.1.0`.
 */
export function detectManager(userAgent: string | undefined): Manager {
  const name = userAgent?.split('/')[0] ?? '';
  return isManager(name) ? name : 'npm';
}

/** Returns the version of a package manager if it runs this program, or `undefined`. */
export const detectManagerVersion = (manager: Manager, userAgent = ''): string | undefined =>
  new RegExp(`^${manager}/(\\d+\\.\\d+\\.\\d+) `).exec(userAgent)?.[1];

const LOCK_FILES: ReadonlyMap<string, Manager> = new Map([
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]);

/** Returns the package manager of an app, by its lock file. */
export const findAppManager = (files: readonly string[]): Manager | undefined =>
  files.map((file) => LOCK_FILES.get(file)).find((manager) => manager !== undefined);

/** Replaces npm's commands in a text by those of another package manager. */
export function replaceCommands(manager: Manager, text: string): string {
  const { run, test, exec } = MANAGERS[manager];
  return text
    .replace(/\bnpm run (?=[a-z])/g, `${run} `)
    .replace(/\bnpm test\b/g, test)
    .replace(/\bnpm install\b/g, `${manager} install`)
    .replace(/\bnpx (?=[a-z])/g, `${exec} `);
}
