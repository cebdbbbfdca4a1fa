import type { DatabaseSync } from 'node:sqlite'

/** `PRAGMA application_id` of our files: "allt". */
export const applicationId = 0x616c6c74

/** `PRAGMA user_version` of the files that this code writes. */
export const formatVersion = 1

/**
 * Format 1. `log`: one row per version, `text` its JSON (also of a tombstone, `deleted` = 1), `checksum` as in
 * log-checksum.ts. `meta`: `floor`, the revision up to which superseded rows may be missing.
 */
export const schema = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO meta VALUES ('floor', 0);
`

/** `migrations[n]` takes a file from format `n` to `n + 1`, inside a transaction and after a backup. */
export const migrations: readonly ((database: DatabaseSync) => void)[] = [addCreated]

/** Format 0, before the first release, did not know when an object was created: its oldest row since it was last absent. */
function addCreated(database: DatabaseSync): void {
  database.exec('ALTER TABLE log ADD COLUMN created INTEGER NOT NULL DEFAULT 0')
  const created = new Map<string, number>()
  const update = database.prepare('UPDATE log SET created = ? WHERE revision = ?')
  const rows = database.prepare('SELECT revision, bucket, key, deleted FROM log ORDER BY revision').all()
  for (const { revision, bucket, key, deleted } of rows) {
    if (typeof revision !== 'number') continue
    const name = `${String(bucket)}\0${String(key)}`
    const first = created.get(name) ?? revision
    update.run(first, revision)
    if (deleted === 1) created.delete(name)
    else created.set(name, first)
  }
}
