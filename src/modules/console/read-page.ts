/** Reads the console's page, which is compressed in the package and in Workers. */

/** Returns the HTML of the page: the gzipped text in base64, decompressed. */
export function readPage(gzipped: string): Promise<string> {
  const bytes = Uint8Array.from(atob(gzipped), (character) => character.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unzipped).text();
}
