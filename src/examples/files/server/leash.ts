/**
 * Arguments for `node`, before those of the program, by which a process ends when its standard input does: with its parent,
 * however that ends. One that is killed cannot clean up, and a server that listens would outlive it. `reads`: the program
 * reads that input itself, and would miss what another reader takes.
 */
export function leash({ reads }: { readonly reads: boolean }): readonly string[] {
  const ending = 'process.stdin.on("end", () => process.exit())';
  const code = `import process from "node:process"; ${ending}${reads ? '' : '.resume()'};`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
