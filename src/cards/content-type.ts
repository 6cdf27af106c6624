const types: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  avif: "image/avif",
  bmp: "image/bmp",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  m4a: "audio/mp4",
  aac: "audio/aac",
  flac: "audio/flac",
  weba: "audio/webm",
  mp4: "video/mp4",
  m4v: "video/mp4",
  webm: "video/webm",
  ogv: "video/ogg",
  mov: "video/quicktime",
  pdf: "application/pdf",
  json: "application/json",
  txt: "text/plain",
  csv: "text/csv",
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  webmanifest: "application/manifest+json",
};

/** The content type for the ending of a name. */
export function contentTypeOf(fileName: string): string {
  const [, ending = ""] = /\.(\w+)$/.exec(fileName.toLowerCase()) ?? [];
  return (Object.hasOwn(types, ending) ? types[ending] : undefined) ?? "application/octet-stream";
}

/** What plays a file: "audio", "video", or undefined for one that is neither. */
export const playerOf = (fileName: string): string | undefined =>
  /^(audio|video)\//.exec(contentTypeOf(fileName))?.[1];
