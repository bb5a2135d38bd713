import type { BlobGone } from '../../journal/blob.ts';
import type { LoopFiles, ShowingLoop, ShownFiles } from '../../loop/loop-files.ts';
import { toBase64 } from '../../tool/base64.ts';
import type { NewFile, StoredFile } from '../../tool/content.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { toStored, withKeptFiles } from './kept-files.ts';
import { type ReadableFiles, showFiles } from './shown-files.ts';

/** The files of a loop without a session: they are there as long as it is. */
export class MemoryFiles implements LoopFiles, ReadableFiles {
  readonly #files = new Map<string, NewFile>();
  readonly #withoutFiles = new Set<string>();

  keep(result: ToolResult, secrets: Secrets, onLost: (problem: string) => void): Promise<ToolResult> {
    return withKeptFiles(result, { keep: (file) => this.#keep(file), secrets, onLost });
  }

  show(loop: ShowingLoop): Promise<ShownFiles | undefined> {
    return showFiles({ files: this, withoutFiles: this.#withoutFiles }, loop);
  }

  async #keep(file: NewFile): Promise<StoredFile> {
    const stored = await toStored(file);
    this.#files.set(stored.id, file);
    return stored;
  }

  async read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>> {
    return new Map(
      files.flatMap(({ id }) => {
        const file = this.#files.get(id);
        return file ? [[id, toBase64(file.bytes)] as const] : [];
      }),
    );
  }

  async gone(): Promise<ReadonlyMap<string, BlobGone>> {
    return NONE;
  }

  async find(id: string): Promise<NewFile | undefined> {
    return this.#files.get(id);
  }
}

const NONE: ReadonlyMap<string, BlobGone> = new Map();
