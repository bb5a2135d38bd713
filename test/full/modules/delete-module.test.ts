import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteModule, listModules, readCheckout } from '../../measure/delete-module.ts';

const MINUTES = 60_000;

describe('a checkout without one module', () => {
  const checkout = readCheckout(resolve(import.meta.dirname, '../../..'));
  const [module = { path: 'src/modules', entries: [] }] = listModules(checkout);

  // `npm run delete-modules` deletes each module and runs more tests.
  it(`compiles and folds its journal as before without ${module.path}`, {
    timeout: 5 * MINUTES,
  }, async () => {
    const { problem, tests } = await deleteModule(checkout, module, ['test/gate/node/journal']);
    expect(problem).toBeUndefined();
    expect(tests.passed).toBeGreaterThan(3);
  });

  it('is not created if no kernel test would remain', async () => {
    const { problem } = await deleteModule(checkout, module, ['test/gate/node/nowhere']);
    expect(problem).toBe('No test of the kernel is left.');
  });

  it('is not created for a part that the kernel imports, and the report lists the importing files', async () => {
    const loop = { path: 'src/loop', entries: [] };
    const { problem } = await deleteModule(checkout, loop, ['test/gate/node/journal']);
    expect(problem).toMatch(/^The kernel imports it: .*\bsrc\/agent\/define-agent\.ts\b.*\.$/);
  });
});
