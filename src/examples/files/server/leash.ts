/**
 * Returns arguments for `node`, before those of the program, that end a process when its standard input ends:
 * with its parent, however that ends. A killed parent cannot clean up, and a listening server would outlive
 * it. `reads`: the program reads its standard input itself, and would miss data that another reader consumes.
 */
export function leash({ reads }: { readonly reads: boolean }): readonly string[] {
  const ending = 'process.stdin.on("end", () => process.exit())';
  const code = `import process from "node:process"; ${ending}${reads ? '' : '.resume()'};`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
