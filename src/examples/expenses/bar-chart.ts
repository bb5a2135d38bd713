const HEIGHT = 100;
const BAR = 16;
const GAP = 4;

/** Draws amounts as bars. The greatest has the full height. Returns a grayscale PNG (RFC 2083). */
export async function drawBarChart(amounts: readonly number[]): Promise<Uint8Array> {
  const width = amounts.length * (BAR + GAP) + GAP;
  const most = Math.max(...amounts, 1);
  // Each row begins with a byte for its filter: 0 means no filter.
  const rows = new Uint8Array(HEIGHT * (width + 1)).fill(255);
  for (let y = 0; y < HEIGHT; y += 1) rows[y * (width + 1)] = 0;
  amounts.forEach((amount, index) => {
    const high = Math.round((Math.max(amount, 0) / most) * HEIGHT);
    for (let y = HEIGHT - high; y < HEIGHT; y += 1) {
      const left = y * (width + 1) + 1 + GAP + index * (BAR + GAP);
      rows.fill(64, left, left + BAR);
    }
  });
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, HEIGHT);
  header[8] = 8; // 8 bits per pixel, one grayscale sample
  const pixels = await deflate(rows);
  const signature = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
  return concatBytes([
    signature,
    toChunk('IHDR', header),
    toChunk('IDAT', pixels),
    toChunk('IEND', new Uint8Array()),
  ]);
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function toChunk(type: string, data: Uint8Array): Uint8Array {
  const named = concatBytes([new TextEncoder().encode(type), data]);
  const whole = new Uint8Array(named.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(named, 4);
  view.setUint32(named.length + 4, computeCrc32(named));
  return whole;
}

function computeCrc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
