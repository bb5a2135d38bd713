/**
 * Returns `node` arguments that end the process when its standard input ends, and so when its parent ends.
 * Put them before the program. Without them, a listening server would outlive a parent that was killed. Set
 * `reads` if the program reads its standard input itself, so that no other reader consumes the data.
 */
export function createLeashArguments({ reads }: { readonly reads: boolean }): readonly string[] {
  const ending = 'process.stdin.on("end", () => process.exit())';
  const code = `import process from "node:process"; ${ending}${reads ? '' : '.resume()'};`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
