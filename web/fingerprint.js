// The fingerprint of web/: SHA-256 over the paths and contents of all files except node_modules, sorted by path.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

function files(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== "node_modules");
  return entries.flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

export function fingerprint(folder) {
  const hash = createHash("sha256");
  const byPath = new Map(files(folder).map((path) => [relative(folder, path).split(sep).join("/"), path]));
  for (const name of [...byPath.keys()].sort())
    hash
      .update(`${name}\0`)
      .update(readFileSync(byPath.get(name)))
      .update("\0");
  return hash.digest("hex");
}
