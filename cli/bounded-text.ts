/** A stream's whole text; null, and the stream closed, when it is longer than `maxBytes`. */
export async function boundedText(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes > maxBytes) return null;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}
