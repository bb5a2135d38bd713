/** Reads the page of the console, which Workers and the package contain in compressed form. */

/** Returns the HTML of the page: the gzipped text in base64, decompressed. */
export function readPage(gzipped: string): Promise<string> {
  const bytes = Uint8Array.from(atob(gzipped), (character) => character.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unzipped).text();
}
