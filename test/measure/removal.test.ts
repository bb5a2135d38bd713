import { expect, it } from 'vitest';
import { parseSource } from '../source/parse-source.ts';
import { computeRemoval, type Removal } from './removal.ts';

/** Deletes `src/modules/wallet` from these files. */
function withoutWallet(files: Readonly<Record<string, string>>): Removal {
  const sources = Object.entries({
    'src/modules/wallet/wallet.ts': 'export const wallet = 1; export type Coin = 2;',
    'src/modules/wallet/entry.ts': "export { wallet, type Coin } from './wallet.ts';",
    ...files,
  });
  return computeRemoval(
    sources.map(([file, text]) => parseSource(file, text)),
    {
      isPart: (file) => file.startsWith('src/modules/wallet/'),
      isKernel: (file) => file.startsWith('src/loop/'),
    },
  );
}

const WALLET_FILES = ['src/modules/wallet/entry.ts', 'src/modules/wallet/wallet.ts'];

it('a part without importers is deleted without other files', () => {
  const loop = { 'src/loop/loop.ts': 'export const loop = 1;' };
  expect(withoutWallet(loop)).toEqual({ files: WALLET_FILES, rewritten: [], kernel: [] });
});

it('a part is deleted with every file that imports it directly or indirectly', () => {
  const { files, rewritten, kernel } = withoutWallet({
    'src/bank/describe.ts': "import type { Coin } from '../modules/wallet/wallet.ts'; export const a = 1;",
    'src/bank/bank.ts': 'export const bank = 1;',
    'test/bank.test.ts': "import { a } from '../src/bank/describe.ts';",
    'test/late.test.ts': "await import('./bank.test.ts');",
    'test/other.test.ts': "import { bank } from '../src/bank/bank.ts';",
  });
  expect(files).toEqual(['src/bank/describe.ts', ...WALLET_FILES, 'test/bank.test.ts', 'test/late.test.ts']);
  expect([rewritten, kernel]).toEqual([[], []]);
});

it('a file with only re-exports loses the deleted names, and the importers of these names are deleted', () => {
  const { files, rewritten } = withoutWallet({
    'src/bank/entry.ts':
      "export { bank, type Sum as Total } from './bank.ts';\nexport { wallet as purse } from '../modules/wallet/wallet.ts';",
    'src/bank/bank.ts': 'export const bank = 1; export type Sum = 2;',
    'src/all.ts': "export * from './bank/entry.ts'; export * from './modules/wallet/entry.ts';",
    'src/names.ts': "export * as names from './all.ts';",
    'test/bank.test.ts': "import { bank } from '../src/all.ts';",
    'test/purse.test.ts': "import { purse } from '../src/all.ts';",
    'test/coin.test.ts': "import type { Coin } from '../src/all.ts';",
  });
  expect(files).toEqual([...WALLET_FILES, 'test/coin.test.ts', 'test/purse.test.ts']);
  expect(rewritten).toEqual([
    {
      file: 'src/bank/entry.ts',
      text: "export { bank as bank } from './bank.ts';\nexport { type Sum as Total } from './bank.ts';\n",
    },
    { file: 'src/all.ts', text: "export * from './bank/entry.ts';\n" },
  ]);
});

it('a file that re-exports only deleted names is deleted', () => {
  const { files } = withoutWallet({
    'test/door.ts': "export { wallet } from '../src/modules/wallet/wallet.ts';",
    'test/door.test.ts': "import { wallet } from './door.ts';",
  });
  expect(files).toEqual([...WALLET_FILES, 'test/door.test.ts', 'test/door.ts']);
});

it('a kernel file is kept and listed even if it imports only a type or an importer of the part', () => {
  const { files, kernel } = withoutWallet({
    'src/bank/bank.ts': "import { wallet } from '../modules/wallet/entry.ts'; export const bank = wallet;",
    'src/loop/loop.ts': "import type { Coin } from '../modules/wallet/wallet.ts';",
    'src/loop/index.ts': "export { bank } from '../bank/bank.ts';",
    'src/loop/step.ts': "import './loop.ts';",
  });
  expect(files).toEqual(['src/bank/bank.ts', ...WALLET_FILES]);
  expect(kernel).toEqual(['src/loop/index.ts', 'src/loop/loop.ts']);
});
