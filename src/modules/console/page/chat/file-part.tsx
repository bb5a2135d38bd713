/** Shows files in messages, replies and results. Small images are displayed, and other files can be saved. */
import { useEffect, useState } from 'preact/hooks';
import { type Failure, toFailure } from '../data/api.ts';
import type { SessionStore } from '../data/session-store.ts';
import { formatBytes } from '../ui/format.ts';
import { Line } from '../ui/words.tsx';

/** A stored file has an `id`, a linked file has a `url`, and a file from a model has `data`. */
export interface AnyFile {
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly size?: number | undefined;
  readonly url?: string | undefined;
  readonly data?: string | undefined;
}

/** The image types that load without a click, since they cannot run code. */
const SHOWN_MEDIA_TYPES = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const MAX_SHOWN_BYTES = 8_000_000;

export function FilePart({ store, file }: { readonly store: SessionStore; readonly file: AnyFile }) {
  const { id, mediaType, name, size, url, data } = file;
  const isImage = SHOWN_MEDIA_TYPES.test(mediaType) && (size ?? 0) <= MAX_SHOWN_BYTES;
  const address = url ?? data;
  if (id !== undefined) return <StoredFile store={store} id={id} file={file} isImage={isImage} />;
  if (isImage && data !== undefined && !/^https?:/.test(data))
    return (
      <img class="file-image" src={`data:${mediaType};base64,${data}`} alt={name ?? 'Image of the model'} />
    );
  return (
    <span class="file">
      <FileName file={file} />
      {address !== undefined && /^https?:/.test(address) && <Outside url={address} />}
    </span>
  );
}

interface StoredFileProps {
  readonly store: SessionStore;
  readonly id: string;
  readonly file: AnyFile;
  readonly isImage: boolean;
}

function StoredFile({ store, id, file, isImage }: StoredFileProps) {
  const [address, setAddress] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const load = async (): Promise<string | undefined> => {
    try {
      const loaded = URL.createObjectURL(await store.client.file(id));
      setAddress(loaded);
      return loaded;
    } catch (thrown) {
      setFailure(toFailure(thrown));
      return undefined;
    }
  };
  useEffect(() => void (isImage && load()), [id]);
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address]);
  const save = async (): Promise<void> => {
    const link = document.createElement('a');
    link.href = address ?? (await load()) ?? '';
    link.download = file.name ?? 'file';
    if (link.href !== location.href) link.click();
  };
  return (
    <span class="file">
      {isImage && address && <img class="file-image" src={address} alt={file.name ?? 'Image'} />}
      <button
        type="button"
        class="file-chip"
        onClick={() => void save()}
        aria-label={`Save ${file.name ?? 'the file'}`}
      >
        <FileName file={file} />
      </button>
      {failure && <span class="field-problem">{failure.message}</span>}
    </span>
  );
}

const FileName = ({ file: { name, mediaType, size } }: { readonly file: AnyFile }) => (
  <span class="file-name">
    <Line text={name ?? mediaType} most={60} />
    {size !== undefined && <span class="muted small"> {formatBytes(size)}</span>}
  </span>
);

/** A link to another site. The page opens the link only after a click. */
export const Outside = ({ url, text = url }: { readonly url: string; readonly text?: string }) => (
  <a href={url} target="_blank" rel="noopener noreferrer nofollow">
    <Line text={text} most={90} />
  </a>
);
